// The timeline on a canvas: lanes, boxes, arrows. What it costs depends on pixels, not on the number of events.

const mostArrows = 2000;
const laneMargin = { left: 76, right: 8, top: 24, bottom: 4 };
const expandedRow = 17, tallest = 560;

/** "1.2034 s": as many decimals as two neighbouring ticks need. */
function instantText(at, step, to) {
  const [unit, size] = to >= 1e9 ? ["s", 1e9] : to >= 1e6 ? ["ms", 1e6] : to >= 1e3 ? ["us", 1e3] : ["ns", 1];
  return (at / size).toFixed(Math.max(0, Math.min(9, Math.ceil(-Math.log10(step / size) - 1e-9)))) + " " + unit;
}

/** Colours and patterns of the theme that is on. */
function timelinePalette(pen) {
  const hatch = (line) => {
    const tile = document.createElement("canvas"), brush = tile.getContext("2d");
    tile.width = tile.height = 6;
    Object.assign(brush, { strokeStyle: line, lineWidth: 1.4 });
    brush.beginPath();
    for (const shift of [-6, 0, 6]) { brush.moveTo(shift, 6); brush.lineTo(shift + 6, 0); }
    brush.stroke();
    return pen.createPattern(tile, "repeat");
  };
  return { kinds: boxKinds.map((kind) => color("kind-" + kind)), block: hatch(color("paper")), missing: hatch(color("line-strong")), ink: color("ink"), quiet: color("quiet"),
    paper: color("paper"), ground: color("ground"), line: color("line"), mark: color("mark"), chosen: color("accent-soft"), onKind: color("on-kind"), arrow: color("arrow") };
}

/** Which lanes are where: those from `first` on that have room. */
function placeLanes(line, first, expand) {
  const height = Math.max(9, Math.min(26, Math.floor(tallest / Math.max(1, line.lanes.length)))), placed = [];
  let top = laneMargin.top;
  for (let i = first; i < line.lanes.length; ++i) {
    const lane = line.lanes[i], open = expand === "all" || (expand === "chosen" && lane.index !== undefined && lane.index === state.rank);
    const rows = open ? expandedRows(lane) : null, size = open ? Math.max(1, rows.length) * expandedRow + 4 : height;
    if (placed.length > 0 && top + size > laneMargin.top + tallest) break;
    placed.push({ lane, number: i, top, size, rows });
    top += size;
  }
  return { placed, height: top + laneMargin.bottom };
}

/** Of each thread its regions from the outermost to the innermost, then its calls. */
const expandedRows = (lane) => [...lane.regions, ...lane.calls].sort((a, b) => a.thread - b.thread || (a.depth < 0 ? 99 : a.depth) - (b.depth < 0 ? 99 : b.depth));

/** Draws `line` from view.from to view.to. `place` is of placeLanes; `mark` the box under the keyboard's cursor, or null. Returns what
    it drew. */
function paintTimeline(pen, line, view, place, width, mark) {
  const colors = timelinePalette(pen), inner = width - laneMargin.left - laneMargin.right, scale = inner / (view.to - view.from);
  const x = (at) => laneMargin.left + Math.max(-4, Math.min(inner + 4, (at - view.from) * scale));
  const grain = Math.max(1, Math.ceil((place.placed.length * inner) / 60000));  // pixels: many lanes in larger steps
  const picture = { pen, line, view, colors, inner, scale, x, width, mark, grain, touched: 0, sums: new Float64Array(boxKinds.length) };
  pen.clearRect(0, 0, width, place.height);
  paintTicks(picture, place);
  pen.save();
  pen.beginPath();
  pen.rect(laneMargin.left, laneMargin.top - 1, inner, place.height);
  pen.clip();
  for (const spot of place.placed) paintLane(picture, spot);
  const arrows = paintArrows(picture, place);
  pen.restore();
  paintNames(picture, place);
  return { touched: picture.touched, ...arrows };
}

function paintTicks({ pen, colors, view, x, inner, width }, place) {
  const ticks = d3.scale.linear().domain([view.from, view.to]).ticks(Math.max(2, Math.floor(inner / 130)));
  const step = ticks.length > 1 ? ticks[1] - ticks[0] : view.to - view.from;
  Object.assign(pen, { fillStyle: colors.quiet, strokeStyle: colors.line, lineWidth: 1, textAlign: "left", textBaseline: "middle" });
  for (const at of ticks) {
    const text = instantText(at, step, view.to), left = Math.round(x(at)) + 0.5;
    pen.beginPath();
    pen.moveTo(left, 4);
    pen.lineTo(left, place.height);
    pen.stroke();
    if (left + 4 + pen.measureText(text).width < width) pen.fillText(text, left + 4, 11);
  }
}

function paintNames({ pen, colors }, place) {
  Object.assign(pen, { textAlign: "right", textBaseline: "middle" });
  const every = Math.ceil(13 / (place.placed.length ? Math.min(...place.placed.map((spot) => spot.size)) : 13));
  for (const { lane, number, top, size, rows } of place.placed) {
    const chosen = lane.index !== undefined && lane.index === state.rank;
    if (number % every !== 0 && !chosen && size < 13) continue;
    pen.fillStyle = chosen ? colors.mark : colors.quiet;
    pen.fillText("rank " + lane.name, laneMargin.left - 8, rows ? top + 10 : top + size / 2);
    if (!rows) continue;
    rows.forEach((row, i) => {
      if (row.thread > 0 && i > 0 && rows[i - 1].thread !== row.thread) pen.fillText("thread " + row.thread, laneMargin.left - 8, top + 10 + i * expandedRow);
    });
  }
}

function paintLane(picture, { lane, top, size, rows }) {
  const { pen, colors, x, inner } = picture;
  pen.fillStyle = lane.index !== undefined && lane.index === state.rank ? colors.chosen : colors.ground;
  pen.fillRect(x(lane.begin), top + 1, Math.max(1, x(lane.end) - x(lane.begin)), size - 2);
  if (rows) rows.forEach((row, i) => paintRow(picture, row, top + 2 + i * expandedRow, expandedRow - 2));
  else {
    for (const row of lane.regions) paintRow(picture, row, top + 1, size - 2);
    const inset = size > 14 ? 4 : 2;
    for (const row of lane.calls) paintRow(picture, row, top + inset, size - 2 * inset);
  }
  const lost = lane.recorded ? lane.to : lane.begin;
  if (lost < lane.end && x(lost) < laneMargin.left + inner) {
    pen.fillStyle = colors.missing;
    pen.fillRect(x(lost), top + 1, x(lane.end) - x(lost), size - 2);
  }
}

/** Boxes of a pixel and more one by one, what is less by pixels: the colour says what most of the time there is, its strength how much. */
function paintRow(picture, row, top, height) {
  const { line, view, scale, grain, sums } = picture, { begin, end } = line, run = { from: -1, to: -1, kind: 0, level: 0 };
  const flush = () => {
    if (run.from >= 0) fill(picture, run.kind, run.level / 4, laneMargin.left + run.from * grain, (run.to - run.from) * grain, top, height);
    run.from = -1;
  };
  for (let i = firstAfter(line, row, view.from); i < row.last && begin[i] < view.to;) {
    if ((end[i] - begin[i]) * scale >= grain) {
      flush();
      paintBox(picture, i, row, top, height);
      ++i;
      continue;
    }
    const cell = Math.max(0, Math.floor(((begin[i] - view.from) * scale) / grain));
    let next = lowerBound(begin, i + 1, row.last, view.from + ((cell + 1) * grain) / scale);
    if (next - 1 > i && (end[next - 1] - begin[next - 1]) * scale >= grain) --next;  // drawn by itself
    timesByKind(line, i, next, sums);
    picture.touched += Math.min(next - i, 2 * sumStride);
    let kind = 0, sum = 0;
    for (let k = 0; k < sums.length; ++k) { sum += sums[k]; if (sums[k] > sums[kind]) kind = k; }
    const level = Math.max(1, Math.min(4, Math.ceil((4 * sum * scale) / grain)));
    if (run.from < 0 || run.to !== cell || run.kind !== kind || run.level !== level) { flush(); Object.assign(run, { from: cell, kind, level }); }
    run.to = cell + 1;
    i = next;
  }
  flush();
}

function fill({ pen, colors }, kind, share, left, width, top, height) {
  pen.globalAlpha = 0.25 + 0.75 * share;
  pen.fillStyle = colors.kinds[kind];
  pen.fillRect(left, top, width, height);
  pen.globalAlpha = 1;
}

function paintBox(picture, i, row, top, height) {
  const { pen, line, colors, x, mark } = picture, left = x(line.begin[i]), width = Math.max(1, x(line.end[i]) - left), block = line.block[i] >= 0;
  ++picture.touched;
  fill(picture, line.kind[i], Math.min(1, timeOf(line, i) / Math.max(1, line.end[i] - line.begin[i])), left, width > 3 ? width - 1 : width, top, height);
  if (block && width > 4) {
    pen.fillStyle = colors.block;
    pen.fillRect(left, top + height - 4, width - 1, 4);
  }
  if (row.depth >= 0 && width > 3) {
    pen.fillStyle = colors.quiet;
    pen.fillRect(left, top, 1, height);
  }
  if (i === mark) {
    Object.assign(pen, { strokeStyle: colors.mark, lineWidth: 2.5 });
    pen.strokeRect(left - 1, top - 1, width + 2, height + 2);
  }
  const room = Math.min(width, laneMargin.left + picture.inner - left) - 6;
  if (room < 7 || height < 11) return;
  const text = boxLabel(line, i, row, room);
  if (!text) return;
  Object.assign(pen, { fillStyle: row.depth >= 0 || line.kind[i] === notChosen ? colors.ink : colors.onKind, textAlign: "left", textBaseline: "middle" });
  pen.fillText(text, Math.max(left, laneMargin.left) + 3, top + height / 2 + 0.5);
}

/** The name where it fits, else the letter of the legend. */
function boxLabel(line, i, row, room) {
  const fits = (text) => text.length * 6.8 <= room;
  if (line.block[i] >= 0) {
    const text = format.count(countOf(line, i)) + (row.depth < 0 ? " calls" : " regions");
    if (fits(text)) return text;
  }
  if (row.depth >= 0) {
    const name = format.short(namesOf(line.head.regions[line.what[i]] || "").pop(), 40);
    return fits(name) ? name : "";
  }
  const call = signatureOf(line, i).call, name = call ? call.name.replace("MPI_", "") : "?";
  if (fits(name)) return name;
  return line.block[i] < 0 && call ? kindWords[call.kind][0] : "";
}

/** Messages between what is shown; none where there are too many to tell apart. */
function paintArrows({ pen, line, view, colors, x }, place) {
  const under = messagesBetween(line, view.from, view.to, 2 * mostArrows), middles = new Map();
  if (under.count > mostArrows) return { messages: under.count, arrows: 0 };
  for (const { number, top, size, rows } of place.placed) {
    middles.set(number, rows ? top + 2 + Math.max(0, rows.findIndex((row) => row.depth < 0) + 0.5) * expandedRow : top + size / 2);
  }
  const first = place.placed.length ? place.placed[0].number : 0;
  const middle = (lane) => middles.get(lane) ?? (lane < first ? laneMargin.top - 20 : place.height + 20);
  const strength = under.count < 200 ? 0.85 : 0.5;
  let arrows = 0;
  const draw = (i) => {
    if (!middles.has(line.source[i]) && !middles.has(line.destination[i])) return;
    const mine = state.rank !== null && [line.source[i], line.destination[i]].some((lane) => line.lanes[lane].index === state.rank);
    Object.assign(pen, { globalAlpha: mine ? 0.95 : state.rank === null ? strength : 0.2, strokeStyle: colors.arrow, fillStyle: colors.arrow, lineWidth: mine ? 1.6 : 1 });
    arrow(pen, x(line.sent[i]), middle(line.source[i]), x(line.received[i]), middle(line.destination[i]));
    ++arrows;
  };
  for (const i of under.earlier) draw(i);
  for (let i = under.first; i < under.last; ++i) draw(i);
  pen.globalAlpha = 1;
  return { messages: under.count, arrows };
}

function arrow(pen, x0, y0, x1, y1) {
  const length = Math.hypot(x1 - x0, y1 - y0) || 1, ux = (x1 - x0) / length, uy = (y1 - y0) / length;
  pen.beginPath();
  pen.moveTo(x0, y0);
  pen.lineTo(x1, y1);
  pen.stroke();
  pen.beginPath();
  pen.moveTo(x1, y1);
  pen.lineTo(x1 - 7 * ux + 3 * uy, y1 - 7 * uy - 3 * ux);
  pen.lineTo(x1 - 7 * ux - 3 * uy, y1 - 7 * uy + 3 * ux);
  pen.fill();
}
