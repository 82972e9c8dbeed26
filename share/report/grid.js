// Coloured cells in rows and columns, on a canvas: quick for many, with numbers in them where these fit.
//
// model: {label, rows: [text], cols: [text], rowTitle, colTitle, value(r, c), share(value) 0..1 or null for an empty cell,
//         text(r, c), cell(value), mark() {row, col}, pick(r, c), rowBreaks: [r], colBreaks: [c], square}

const gridHelp = "arrow keys move, Enter chooses, Escape takes the choice back";

function grid(parts, getModel) {
  const canvas = make("canvas", { role: "img", tabindex: "0" });
  parts.body.append(canvas);
  let layout = null, cursor = null;

  const labelWidth = (pen, texts) => Math.min(200, Math.max(24, ...texts.map((text) => pen.measureText(text).width)) + 10);

  function measure(model, pen) {
    const width = parts.body.clientWidth;
    const left = labelWidth(pen, model.rows.length > 64 ? [model.rows[0], model.rows[model.rows.length - 1]] : model.rows) + 18;
    const top = 34;
    let cellWidth = Math.min(model.square ? 46 : 120, (width - left - 8) / model.cols.length);
    let cellHeight = model.square ? Math.min(cellWidth, 640 / model.rows.length) : 24;
    if (model.square) cellWidth = cellHeight;
    return { left, top, cellWidth, cellHeight, width, height: top + cellHeight * model.rows.length + 4 };
  }

  /** Every n-th label, so that they do not overlap. */
  const stepFor = (size, needed) => [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024].find((n) => n * size >= needed) || 2048;

  function paintLabels(model, pen) {
    const { left, top, cellWidth, cellHeight } = layout;
    pen.fillStyle = color("quiet");
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    const rowStep = stepFor(cellHeight, 13);
    model.rows.forEach((text, r) => {
      if (r % rowStep === 0) pen.fillText(format.short(text, 34), left - 6, top + (r + 0.5) * cellHeight);
    });
    pen.textAlign = "center";
    const widest = Math.max(...[model.cols[0], model.cols[model.cols.length - 1]].map((text) => pen.measureText(text).width));
    const colStep = stepFor(cellWidth, widest + 8);
    model.cols.forEach((text, c) => {
      if (c % colStep === 0) pen.fillText(text, left + (c + 0.5) * cellWidth, top - 8);
    });
    pen.textAlign = "left";
    pen.fillText(model.colTitle, left, 9);
    pen.save();
    pen.translate(9, top + (cellHeight * model.rows.length) / 2);
    pen.rotate(-Math.PI / 2);
    pen.textAlign = "center";
    if (model.rowTitle) pen.fillText(model.rowTitle, 0, 0);
    pen.restore();
  }

  function paintCells(model, pen) {
    const { left, top, cellWidth, cellHeight } = layout;
    const tint = ramp(), gap = cellWidth > 6 && cellHeight > 6 ? 1 : 0;
    const strong = color("ink"), inverse = color("paper");
    pen.textAlign = "center";
    for (let r = 0; r < model.rows.length; ++r) {
      for (let c = 0; c < model.cols.length; ++c) {
        const value = model.value(r, c), share = model.share(value);
        if (share === null) continue;
        pen.fillStyle = tint(share);
        pen.fillRect(left + c * cellWidth, top + r * cellHeight, Math.max(1, cellWidth - gap), Math.max(1, cellHeight - gap));
        if (cellWidth < 40 || cellHeight < 18) continue;
        const text = model.cell(value);
        if (pen.measureText(text).width > cellWidth - 4) continue;
        pen.fillStyle = share > 0.45 ? inverse : strong;
        pen.fillText(text, left + (c + 0.5) * cellWidth, top + (r + 0.5) * cellHeight);
      }
    }
  }

  function paintMarks(model, pen) {
    const { left, top, cellWidth, cellHeight } = layout;
    const right = left + cellWidth * model.cols.length, bottom = top + cellHeight * model.rows.length;
    pen.strokeStyle = color("line-strong");
    pen.lineWidth = 1;
    pen.setLineDash([4, 3]);
    pen.beginPath();
    for (const r of model.rowBreaks || []) { pen.moveTo(left, top + r * cellHeight - 0.5); pen.lineTo(right, top + r * cellHeight - 0.5); }
    for (const c of model.colBreaks || []) { pen.moveTo(left + c * cellWidth - 0.5, top); pen.lineTo(left + c * cellWidth - 0.5, bottom); }
    pen.stroke();
    pen.setLineDash([]);
    pen.strokeRect(left - 0.5, top - 0.5, right - left, bottom - top);
    pen.strokeStyle = color("mark");
    pen.lineWidth = 2;
    const { row, col } = model.mark();
    if (row !== null) pen.strokeRect(left - 1, top + row * cellHeight - 1, right - left + 1, cellHeight + 1);
    if (col !== null) pen.strokeRect(left + col * cellWidth - 1, top - 1, cellWidth + 1, bottom - top + 1);
    if (cursor && document.activeElement === canvas) {
      pen.lineWidth = 3;
      pen.strokeRect(left + cursor.c * cellWidth - 2, top + cursor.r * cellHeight - 2, cellWidth + 3, cellHeight + 3);
    }
  }

  function paint() {
    const model = getModel(), scale = devicePixelRatio || 1;
    const pen = canvas.getContext("2d");
    pen.font = "12px " + getComputedStyle(document.body).fontFamily;
    layout = measure(model, pen);
    canvas.width = Math.round(layout.width * scale);
    canvas.height = Math.round(layout.height * scale);
    canvas.style.width = layout.width + "px";
    canvas.style.height = layout.height + "px";
    canvas.setAttribute("aria-label", model.label + " (" + gridHelp + ")");
    pen.scale(scale, scale);
    pen.font = "12px " + getComputedStyle(document.body).fontFamily;
    paintLabels(model, pen);
    paintCells(model, pen);
    paintMarks(model, pen);
  }

  function cellAt(event) {
    if (!layout) return null;
    const model = getModel(), box = canvas.getBoundingClientRect();
    const c = Math.floor((event.clientX - box.left - layout.left) / layout.cellWidth);
    const r = Math.floor((event.clientY - box.top - layout.top) / layout.cellHeight);
    return r >= 0 && c >= 0 && r < model.rows.length && c < model.cols.length ? { r, c } : null;
  }

  canvas.addEventListener("pointermove", (event) => {
    const cell = cellAt(event);
    canvas.style.cursor = cell ? "pointer" : "default";
    if (cell) showTip(getModel().text(cell.r, cell.c), event.clientX, event.clientY);
    else hideTip();
  });
  canvas.addEventListener("pointerleave", hideTip);
  canvas.addEventListener("click", (event) => {
    const cell = cellAt(event);
    if (!cell) return;
    cursor = cell;
    parts.readout.textContent = getModel().text(cell.r, cell.c);
    getModel().pick(cell.r, cell.c);
  });
  const moves = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], Home: [0, -1e9], End: [0, 1e9] };
  canvas.addEventListener("keydown", (event) => {
    const model = getModel(), move = moves[event.key];
    cursor = cursor || { r: model.mark().row || 0, c: model.mark().col || 0 };
    if (move) {
      cursor.r = Math.max(0, Math.min(model.rows.length - 1, cursor.r + move[0]));
      cursor.c = Math.max(0, Math.min(model.cols.length - 1, cursor.c + move[1]));
      parts.readout.textContent = model.text(cursor.r, cursor.c);
    } else if (event.key === "Enter" || event.key === " ") {
      model.pick(cursor.r, cursor.c);
    } else if (event.key === "Escape") {
      choose({ rank: null, call: null });
    } else {
      return;
    }
    event.preventDefault();
    paint();
  });
  canvas.addEventListener("focus", paint);
  canvas.addEventListener("blur", paint);
  new ResizeObserver(() => {
    if (!layout || parts.body.clientWidth !== layout.width) paint();
  }).observe(parts.body);
  onPaint(paint);
  onChange(paint);
  return { paint, reset() { cursor = null; paint(); } };
}

/** What the colours say, in words and steps. */
function legend(parts, render) {
  const box = make("div", { class: "legend" });
  parts.body.after(box);
  const paint = () => {
    const tint = ramp(), { from, to, note } = render();
    const bar = make("span", { class: "legend-bar", "aria-hidden": "true" });
    bar.style.background = "linear-gradient(to right," + [0, 0.25, 0.5, 0.75, 1].map((t) => tint(t)).join(",") + ")";
    box.replaceChildren(from, bar, to, make("span", { class: "legend-note" }, note));
  };
  paint();
  onPaint(paint);
  return paint;
}
