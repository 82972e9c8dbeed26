// When every rank was in which call: a lane a rank, zoomed into with wheel, pointer, buttons and keys; messages as arrows.

const timelineHelp = "plus and minus zoom, left and right go from call to call, up and down from rank to rank, Shift with left and right moves the view, " +
  "0 shows the whole run, Enter chooses rank and call, Escape takes the choice back";
const shortestView = 20;  // nanoseconds
const eventRows = 200;

async function timelineChart(figure) {
  const parts = frame(figure, "Who was in which call when", "a lane is a rank, gaps are computation; drag to move, buttons, or Ctrl and the wheel, " +
    "to zoom (the wheel alone once clicked)");
  if (typeof DecompressionStream === "undefined") {
    parts.body.append(make("p", { class: "alert" }, "This browser can't unpack the timeline (it has no DecompressionStream). Chromium 80, Firefox 113, Safari 16.4 " +
      "and later can; all else on this page works."));
    return;
  }
  parts.readout.textContent = "Unpacking …";
  try {
    const line = readColumns(data.timeline, await timelineBytes());
    makeLanes(line);
    parts.readout.textContent = "";
    timelineView(parts, line);
  } catch (failure) {
    parts.readout.textContent = "";
    parts.body.append(make("p", { class: "alert" }, "The timeline's data can't be unpacked: " + failure.message));
  }
  figure.dataset.ready = "true";
}

/** "rank 3: MPI_Waitall of MPI_Irecv and 3 more, peer rank 2, tag 7, 8.00 KiB; 350 us from 1.203450123 s" */
function boxText(line, row, i) {
  const lane = line.lanes[row.lane], begin = line.begin[i], who = "rank " + lane.name + (row.thread > 0 ? " thread " + row.thread : "") + ": ";
  const when = format.time(line.end[i] - begin) + " from " + instantText(begin, 1, line.head.to);
  if (line.block[i] >= 0) {
    const block = line.block[i], longest = row.depth < 0 ? callText(signatureOf(line, i)) : line.head.regions[line.what[i]];
    return who + format.count(line.count[block]) + (row.depth < 0 ? " calls" : " regions") + " together, " + format.time(line.time[block]) +
      " in them, the longest " + longest + " (" + format.time(line.longest[block]) + "); within " + when;
  }
  if (row.depth >= 0) return who + "region " + line.head.regions[line.what[i]] + "; " + when;
  return who + callText(signatureOf(line, i), line.more[i]) + "; " + when;
}

function callText(what, more = 0) {
  let text = (what.call ? what.call.name : "MPI call") + (what.request ? " of " + what.request.name : "") + (more > 0 ? " and " + more + " more" : "");
  if (what.peer >= 0) text += ", peer rank " + what.peer;
  if (what.root >= 0) text += ", root " + what.root;
  if (what.tag >= 0) text += ", tag " + what.tag;
  if (what.bytes >= 0) text += ", " + format.bytes(what.bytes);
  const comm = data.timeline.communicators[what.comm];
  return text + (what.comm > 0 && comm !== undefined ? ", on " + format.short(comm || "communicator " + what.comm, 40) : "");
}

function timelineView(parts, line) {
  const whole = Math.max(1, line.head.to), canvas = make("canvas", { role: "img", tabindex: "0" }), status = make("p", { class: "note", id: "timeline-view", role: "status" });
  const view = { from: 0, to: whole, first: 0, expand: "none", cursor: null };
  const x = d3.scale.linear().domain([0, whole]), zoom = d3.behavior.zoom().x(x).scaleExtent([1e-12, 1e12]).duration(0);
  const overview = timelineOverview(line, whole, (from, to) => show(from, to));
  let place = null, asked = false, told = 0;
  parts.body.append(overview.element, canvas);
  parts.body.after(timelineLegend(line), status);

  /** What is seen: kept within the run. */
  function show(from, to) {
    const span = Math.max(Math.min(shortestView, whole), Math.min(whole, to - from));
    view.from = Math.max(0, Math.min(whole - span, (from + to - span) / 2));
    view.to = view.from + span;
    repaint();
  }
  function repaint() {
    if (!asked) requestAnimationFrame(() => { asked = false; paint(); });
    asked = true;
    delete canvas.dataset.from;  // until it has settled
    clearTimeout(told);
    told = setTimeout(settled, 250);
  }
  const around = (at, factor) => show(at - (at - view.from) * factor, at + (view.to - at) * factor);
  const shift = (share) => show(view.from + share * (view.to - view.from), view.to + share * (view.to - view.from));

  function paint() {
    const width = Math.max(320, parts.body.clientWidth), ratio = devicePixelRatio || 1, pen = canvas.getContext("2d");
    place = placeLanes(line, view.first, view.expand);
    for (const [name, value] of [["width", Math.round(width * ratio)], ["height", Math.round(place.height * ratio)]]) if (canvas[name] !== value) canvas[name] = value;
    Object.assign(canvas.style, { width: width + "px", height: place.height + "px" });
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.font = "11.5px " + getComputedStyle(document.body).fontFamily;
    Object.assign(view, paintTimeline(pen, line, view, place, width, document.activeElement === canvas && view.cursor ? view.cursor.i : null), { width });
    x.range([laneMargin.left, width - laneMargin.right]);
    overview.paint(view, width);
  }

  /** What a pause is long enough for: the address, the words, the table. */
  function settled() {
    zoom.x(x.domain([view.from, view.to]));
    const isWhole = view.from <= 0 && view.to >= whole, step = (view.to - view.from) / 1000, instant = (at) => instantText(at, step, whole);
    chooseTime(isWhole ? null : [Math.floor(view.from), Math.ceil(view.to)]);
    const last = place.placed.length ? place.placed[place.placed.length - 1].number : 0;
    status.textContent = (isWhole ? "The whole run, " : "From " + instant(view.from) + " to " + instant(view.to) + ", ") + format.time(view.to - view.from) + "; " +
      (line.lanes.length > place.placed.length ? "lanes " + (view.first + 1) + " to " + (last + 1) + " of " + format.count(line.lanes.length) + "; " : "") +
      format.plural(view.messages, "message") + (view.messages > mostArrows ? ": zoom in to see them as arrows." : ".");
    Object.assign(canvas.dataset, { from: Math.floor(view.from), to: Math.ceil(view.to), arrows: view.arrows });
    table.fill();
    canvas.setAttribute("aria-label", "Timeline of " + format.plural(line.lanes.length, "rank") + ". " + status.textContent +
      " The events in view are in the table below (" + timelineHelp + ")");
    pages.forEach((button) => (button.hidden = line.lanes.length <= place.placed.length && view.first === 0));
  }

  function boxAt(event) {
    const frameBox = canvas.getBoundingClientRect(), at = x.invert(event.clientX - frameBox.left), top = event.clientY - frameBox.top;
    const spot = place && place.placed.find((one) => top >= one.top && top < one.top + one.size);
    if (!spot || event.clientX - frameBox.left < laneMargin.left) return { spot, row: null, i: -1 };
    const slack = 2 * (view.to - view.from) / view.width, deepestFirst = [...spot.lane.calls, ...spot.lane.regions.slice().sort((a, b) => b.depth - a.depth)];
    const rows = spot.rows ? [spot.rows[Math.floor((top - spot.top - 2) / expandedRow)]].filter(Boolean) : deepestFirst;
    for (const row of rows) {
      const i = firstAfter(line, row, at - slack);
      if (i < row.last && line.begin[i] <= at + slack) return { spot, row, i, others: lowerBound(line.begin, i, row.last, at + slack) - i - 1 };
    }
    return { spot, row: null, i: -1 };
  }
  const describe = ({ row, i, others = 0 }) => boxText(line, row, i) + (others > 0 ? " (and " + format.count(others) + " more here: zoom in)" : "");

  /** The same again takes it back. */
  function pick({ spot, row, i }) {
    if (!spot || spot.lane.index === undefined) return;
    const what = row && row.depth < 0 ? signatureOf(line, i) : null, call = what && what.call ? what.call.name : state.call;
    choose(state.rank === spot.lane.index && state.call === call ? { rank: null, call: null } : { rank: spot.lane.index, call });
  }

  const keys = timelineKeys(line, view, { show, around, shift, pick, page, whole, place: () => place, say: (text) => (parts.readout.textContent = text) });
  canvas.addEventListener("keydown", (event) => {
    if (!keys(event)) return;
    event.preventDefault();
    repaint();
  });
  for (const name of ["focus", "blur"]) canvas.addEventListener(name, repaint);
  canvas.addEventListener("pointermove", (event) => {
    const found = event.buttons ? { i: -1 } : boxAt(event);
    canvas.style.cursor = event.buttons ? "grabbing" : found.i >= 0 ? "pointer" : "grab";
    if (found.i >= 0) showTip(describe(found), event.clientX, event.clientY);
    else hideTip();
  });
  canvas.addEventListener("pointerleave", hideTip);
  canvas.addEventListener("click", (event) => {
    if (event.defaultPrevented) return;
    const found = boxAt(event);
    if (found.i >= 0) Object.assign(view, { cursor: found });
    parts.readout.textContent = found.i >= 0 ? describe(found) : "";
    pick(found);
    repaint();
  });
  canvas.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && document.activeElement !== canvas) return;  // the page scrolls
    event.preventDefault();
    hideTip();
    const pixels = event.deltaMode === 1 ? 24 : 1;
    if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) shift(((event.deltaX || event.deltaY) * pixels) / view.width);
    else around(x.invert(event.clientX - canvas.getBoundingClientRect().left), 2 ** (event.deltaY * pixels * 0.002));
  }, { passive: false });
  zoom.on("zoom", () => { hideTip(); show(...x.domain()); });
  d3.select(canvas).call(zoom).on("wheel.zoom", null).on("mousewheel.zoom", null);

  function page(by) {
    view.first = by < 0 ? Math.max(0, view.first - place.placed.length) : view.first + place.placed.length < line.lanes.length ? view.first + place.placed.length : view.first;
    repaint();
  }
  /** The lane of a rank is brought to where it is seen. */
  function reveal() {
    const at = state.rank === null ? -1 : line.lanes.findIndex((lane) => lane.index === state.rank);
    if (at >= 0 && place && (at < view.first || at >= view.first + place.placed.length)) view.first = Math.max(0, Math.min(at - 2, line.lanes.length - place.placed.length));
  }

  const button = (text, label, action) => {
    const one = make("button", { type: "button", "aria-label": label }, text);
    one.addEventListener("click", action);
    parts.controls.append(one);
    return one;
  };
  const middle = () => (view.from + view.to) / 2;
  button("+", "Zoom in", () => around(middle(), 0.5));
  button("−", "Zoom out", () => around(middle(), 2));
  button("◂", "Earlier", () => shift(-0.5));
  button("▸", "Later", () => shift(0.5));
  button("Whole run", "Show the whole run", () => show(0, whole));
  const pages = [button("▴ Ranks", "Ranks before these", () => page(-1)), button("▾ Ranks", "Ranks after these", () => page(1))];
  choice(parts.controls, "timeline-expand", "Threads and regions", [["none", "In one lane"], ["chosen", "Of the chosen rank"], ["all", "Of all"]], (expand) => {
    view.expand = expand;
    repaint();
  });
  const table = timelineTable(line, view, () => place);
  parts.readout.after(table.element);

  let summed;
  function follow() {
    if (summed !== state.call) sumUp(line, (summed = state.call));
    reveal();
    const [from, to] = state.time || [0, whole], same = Math.abs(from - view.from) < 1 && Math.abs(to - view.to) < 1;
    if (same) repaint();
    else show(from, to);
  }
  new ResizeObserver(() => {
    if (parts.body.clientWidth !== view.width) repaint();
  }).observe(parts.body);
  onPaint(paint);
  onFollow(follow);
  onChange(() => { if (summed !== state.call) sumUp(line, (summed = state.call)); reveal(); repaint(); });
  sumUp(line, (summed = state.call));
  if (state.time) [view.from, view.to] = [state.time[0], Math.min(whole, state.time[1])];
  show(view.from, view.to);
  paint();
  reveal();
  settled();
}

/** Keys of the chart. Returns whether the key was one. */
function timelineKeys(line, view, { show, around, shift, pick, page, whole, place, say }) {
  const rowOf = (number) => line.lanes[number].calls[0] || line.lanes[number].regions[0] || null;
  const lane = () => (view.cursor ? view.cursor.row.lane : Math.max(view.first, line.lanes.findIndex((one) => one.index === state.rank)));
  const at = () => (view.cursor && line.end[view.cursor.i] > view.from && line.begin[view.cursor.i] < view.to
    ? (Math.max(view.from, line.begin[view.cursor.i]) + Math.min(view.to, line.end[view.cursor.i])) / 2 : (view.from + view.to) / 2);

  function go(row, i) {
    if (!row || row.first === row.last) return;
    i = Math.max(row.first, Math.min(row.last - 1, i));
    view.cursor = { row, i, spot: { lane: line.lanes[row.lane] } };
    if (line.end[i] < view.from || line.begin[i] > view.to) show(line.begin[i] - (view.to - view.from) / 2, line.begin[i] + (view.to - view.from) / 2);
    const first = place().placed[0], last = place().placed[place().placed.length - 1];
    if (first && (row.lane < first.number || row.lane > last.number)) view.first = row.lane;
    say(boxText(line, row, i));
  }
  /** The next box that can be told apart from this one on the screen. */
  function step(by) {
    const row = view.cursor ? view.cursor.row : rowOf(lane()), pixel = (view.to - view.from) / view.width;
    if (!row) return;
    if (!view.cursor) return go(row, firstAfter(line, row, view.from));
    const { i } = view.cursor;
    if (by > 0) return go(row, Math.max(i + 1, lowerBound(line.begin, i, row.last, line.begin[i] + pixel)));
    go(row, Math.min(i - 1, lowerBound(line.begin, row.first, i, line.begin[i] - pixel)));
  }
  function change(by) {
    const number = Math.max(0, Math.min(line.lanes.length - 1, lane() + (view.cursor ? by : 0))), row = rowOf(number);
    if (row) go(row, firstAfter(line, row, at()));
  }
  const actions = {
    "+": () => around(at(), 0.5), "=": () => around(at(), 0.5), "-": () => around(at(), 2), 0: () => show(0, whole),
    ArrowLeft: () => step(-1), ArrowRight: () => step(1), ArrowUp: () => change(-1), ArrowDown: () => change(1), PageUp: () => page(-1), PageDown: () => page(1),
    Home: () => { const row = rowOf(lane()); if (row) go(row, row.first); }, End: () => { const row = rowOf(lane()); if (row) go(row, row.last - 1); },
    Enter: () => view.cursor && pick(view.cursor), " ": () => view.cursor && pick(view.cursor), Escape: () => choose({ rank: null, call: null }),
  };
  return (event) => {
    if (event.ctrlKey || event.altKey || event.metaKey) return false;
    if (event.shiftKey && (event.key === "ArrowLeft" || event.key === "ArrowRight")) shift(event.key === "ArrowLeft" ? -0.25 : 0.25);
    else if (actions[event.key]) actions[event.key]();
    else return false;
    return true;
  };
}

/** The whole run in small: how much of the ranks' time is in MPI; the part in view can be moved and drawn anew. */
function timelineOverview(line, whole, onBrush) {
  const height = 34, box = make("div", { class: "overview" }), canvas = make("canvas", { "aria-hidden": "true" });
  box.append(canvas);
  const svg = d3.select(box).append("svg").attr({ "aria-hidden": "true", height }), x = d3.scale.linear().domain([0, whole]), brush = d3.svg.brush().x(x);
  const holder = svg.append("g").attr("class", "brush");
  let shown = null, shares = null, drawn = "";
  brush.on("brush", () => {
    if (!brush.empty()) onBrush(...brush.extent());
  }).on("brushend", () => {
    if (!brush.empty() || !shown) return;
    const at = brush.extent()[0], half = (shown.to - shown.from) / 2;
    onBrush(at - half, at + half);
  });

  /** Of every pixel, the share of the lanes' time that is in calls. */
  function measure(inner) {
    const sums = new Float64Array(boxKinds.length), out = new Float64Array(inner), alive = Math.max(1, line.lanes.length);
    for (const row of line.rows) {
      if (row.depth >= 0) continue;
      for (let i = row.first; i < row.last;) {
        const pixel = Math.min(inner - 1, Math.floor((line.begin[i] / whole) * inner));
        const next = Math.max(i + 1, lowerBound(line.begin, i, row.last, ((pixel + 1) * whole) / inner));
        const last = Math.min(inner - 1, Math.floor((line.end[next - 1] / whole) * inner));
        timesByKind(line, i, next, sums);
        // The last may lie over several pixels.
        const from = line.begin[next - 1], to = line.end[next - 1], long = last === pixel ? 0 : timeOf(line, next - 1);
        out[pixel] += d3.sum(sums) - long;
        for (let p = pixel; long > 0 && p <= last; ++p) {
          out[p] += (long * Math.max(0, Math.min(to, ((p + 1) * whole) / inner) - Math.max(from, (p * whole) / inner))) / (to - from);
        }
        i = next;
      }
    }
    return out.map((time) => Math.min(1, (time * inner) / whole / alive));
  }

  function paint(view, width) {
    const inner = width - laneMargin.left - laneMargin.right, ratio = devicePixelRatio || 1, pen = canvas.getContext("2d");
    shown = view;
    x.range([laneMargin.left, laneMargin.left + inner]);
    svg.attr("width", width);
    holder.call(brush.extent([view.from, view.to]));
    holder.selectAll("rect").attr({ y: 1, height: height - 2 });
    const looks = width + " " + ratio + " " + color("inside");
    if (looks === drawn) return;
    drawn = looks;
    if (!shares || shares.length !== inner) shares = measure(inner);
    Object.assign(canvas, { width: Math.round(width * ratio), height: Math.round(height * ratio) });
    Object.assign(canvas.style, { width: width + "px", height: height + "px" });
    pen.scale(ratio, ratio);
    pen.font = "11.5px " + getComputedStyle(document.body).fontFamily;
    Object.assign(pen, { fillStyle: color("quiet"), textAlign: "right", textBaseline: "middle" });
    pen.fillText("in MPI", laneMargin.left - 8, height / 2);
    pen.fillStyle = color("ground");
    pen.fillRect(laneMargin.left, 2, inner, height - 4);
    pen.fillStyle = color("inside");
    shares.forEach((share, i) => pen.fillRect(laneMargin.left + i, 2 + (1 - share) * (height - 4), 1, share * (height - 4)));
  }
  return { element: box, paint };
}

function timelineLegend(line) {
  const box = make("div", { class: "legend" }), present = new Set(line.signatures.map((what) => (what.call ? what.call.kind : "other")));
  for (const kind of boxKinds) {
    if (!(present.has(kind) || (kind === "region" && line.head.regions.length > 0))) continue;
    const swatch = make("span", { class: "swatch letter", "aria-hidden": "true" }, kindWords[kind][0]);
    swatch.style.background = "var(--kind-" + kind + ")";
    box.append(make("span", { class: "key" }, swatch, kindWords[kind][1]));
  }
  box.append(make("span", { class: "legend-note" }, "paler: part of the time; " + (line.head.blocks > 0 ? "hatched below: several calls as one block; " : "") +
    "arrows: messages, from the begin of the send to the end of the receive"));
  return box;
}

/** The first events in view, for those who read. Made when it is open. */
function timelineTable(line, view, place) {
  const body = make("tbody"), heads = ["rank", "thread", "what", "requests", "peer", "tag", "bytes", "begin", "duration"], note = make("p", { class: "note" });
  const kindOf = (at) => (at > 3 || at === 0 ? "n" : "t");
  const head = make("thead", {}, make("tr", {}, ...heads.map((text, at) => make("th", { scope: "col", class: kindOf(at) }, text))));
  const table = make("table", { id: "timeline-events" }, make("caption", {}, "Events in view"), head, body);
  const element = make("details", { class: "fold" }, make("summary", {}, "The events in view as a table (the first " + eventRows + ")"),
    make("div", { class: "scroll", role: "region", tabindex: "0", "aria-label": "Table: events in view" }, table), note);

  function chosenRows() {
    const numbers = new Set(place().placed.map((spot) => spot.number)), mine = line.lanes.findIndex((lane) => state.rank !== null && lane.index === state.rank);
    return line.rows.filter((row) => (mine >= 0 ? row.lane === mine : numbers.has(row.lane)));
  }
  function cells({ row, i }) {
    const block = line.block[i] >= 0, what = row.depth < 0 ? signatureOf(line, i) : null, some = (value) => (value === undefined || value < 0 ? "-" : String(value));
    const name = what ? (what.call ? what.call.name : "MPI call") : "region " + line.head.regions[line.what[i]];
    const single = what && !block ? what : {};
    return [line.lanes[row.lane].name, String(row.thread), block ? format.count(countOf(line, i)) + (what ? " calls, the longest " : " regions, the longest ") + name : name,
      single.request ? single.request.name + (line.more[i] ? " and " + line.more[i] + " more" : "") : "-", some(single.peer), some(single.tag),
      single.bytes >= 0 ? format.bytes(single.bytes) : "-", instantText(line.begin[i], 1, line.head.to), format.time(line.end[i] - line.begin[i])];
  }
  function fill() {
    if (!element.open || !place()) return;
    const found = [];
    for (const row of chosenRows()) {
      for (let i = firstAfter(line, row, view.from), left = eventRows; i < row.last && line.begin[i] < view.to && left > 0; ++i, --left) found.push({ row, i });
    }
    found.sort((a, b) => line.begin[a.i] - line.begin[b.i] || a.row.lane - b.row.lane);
    const cell = (text, at) => make(at === 0 ? "th" : "td", { scope: at === 0 ? "row" : null, class: kindOf(at) }, format.short(text, 200));
    body.replaceChildren(...found.slice(0, eventRows).map((box) => make("tr", {}, ...cells(box).map(cell))));
    note.textContent = found.length > eventRows ? "The first " + eventRows + "; zoom in, or choose a rank, for those behind." : "";
  }
  element.addEventListener("toggle", fill);
  return { element, fill };
}
