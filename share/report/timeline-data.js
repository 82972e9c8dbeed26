// The timeline's numbers: unpacked, and sums over them, so that what takes less than a pixel is drawn without being looked at.
//
// A box is a call, a region, or a block of either. Boxes are numbers 0..; those of a row follow each other in time and do not overlap.

const boxKinds = ["point-to-point", "wait", "collective", "one-sided", "io", "process", "other", "region", "not-chosen"];
const kindWords = { "point-to-point": ["P", "point-to-point"], wait: ["W", "wait, test"], collective: ["C", "collective"], "one-sided": ["R", "one-sided"],
  io: ["F", "files"], process: ["S", "start, end, processes"], other: ["O", "other MPI"], region: ["", "region"] };
const regionKind = boxKinds.indexOf("region"), notChosen = boxKinds.indexOf("not-chosen");
const sumStride = 32;  // boxes between two sums

/** The bytes in the page's script element. */
async function timelineBytes() {
  const text = atob(document.getElementById("timeline-data").textContent), packed = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) packed[i] = text.charCodeAt(i);
  const unpacked = new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(unpacked).arrayBuffer());
}

/** LEB128. Instants are below 2^53 ns, 104 days, and thus exact. */
function numberReader(bytes) {
  let at = 0;
  function next() {
    let byte = bytes[at++], value = byte & 127, scale = 128;
    for (; byte > 127; scale *= 128) {
      byte = bytes[at++];
      value += (byte & 127) * scale;
    }
    return value;
  }
  const signed = () => { const value = next(); return value % 2 ? -(value + 1) / 2 : value / 2; };
  return { next, signed };
}

/** Columns in the order of lib/render/timeline_page.cpp. */
function readColumns(head, bytes) {
  const { next, signed } = numberReader(bytes), { boxes, blocks } = head;
  const line = { head, rows: [], begin: new Float64Array(boxes), end: new Float64Array(boxes), what: new Uint32Array(boxes), more: new Uint16Array(boxes),
    block: new Int32Array(boxes).fill(-1), count: new Float64Array(blocks), time: new Float64Array(blocks), longest: new Float64Array(blocks),
    signatures: [], kind: new Uint8Array(boxes), lanes: [] };
  for (let i = 0, first = 0; i < head.rows; ++i) {
    const row = { lane: next(), thread: next(), depth: next() - 1, first, last: first + next() };
    line.rows.push(row);
    first = row.last;
  }
  for (const row of line.rows) for (let i = row.first, at = 0; i < row.last; ++i) line.begin[i] = at += next();
  for (let i = 0; i < boxes; ++i) line.end[i] = line.begin[i] + next();
  for (let i = 0, block = 0; i < boxes; ++i) {
    const value = next();
    line.what[i] = Math.floor(value / 2);
    if (value % 2) line.block[i] = block++;
  }
  for (let i = 0; i < boxes; ++i) line.more[i] = Math.min(65535, next());
  for (let i = 0; i < blocks; ++i) [line.count[i], line.time[i], line.longest[i]] = [next(), next(), next()];
  for (let i = 0; i < head.signatures; ++i) {
    const [call, request, comm, peer, root] = Array.from({ length: 5 }, () => next() - 1), tag = signed(), bytesOf = next() - 1;
    line.signatures.push({ call: callOf(head, call), request: callOf(head, request), comm, peer, root, tag, bytes: bytesOf });
  }
  readMessages(line, next, signed);
  return line;
}
const callOf = (head, number) => (number < 0 ? null : head.calls[number]);

function readMessages(line, next, signed) {
  const count = line.head.messages;
  Object.assign(line, { sent: new Float64Array(count), received: new Float64Array(count), source: new Uint32Array(count), destination: new Uint32Array(count) });
  for (let i = 0, at = 0; i < count; ++i) {
    line.sent[i] = at += next();
    line.received[i] = at + signed();
    line.source[i] = next();
    line.destination[i] = next();
  }
}

/** Lanes with their rows; the index of their rank in the page's data. */
function makeLanes(line) {
  const { world, rank, begin, end, to, recorded } = line.head.lanes;
  line.lanes = rank.map((number, i) => ({ index: rankIndex.get(world[i] + ":" + number), name: (severalWorlds ? world[i] + ":" : "") + number, begin: begin[i], end: end[i],
    to: to[i], recorded: recorded[i], calls: [], regions: [] }));
  for (const row of line.rows) line.lanes[row.lane][row.depth < 0 ? "calls" : "regions"].push(row);
}

const timeOf = (line, i) => (line.block[i] < 0 ? line.end[i] - line.begin[i] : line.time[line.block[i]]);
const countOf = (line, i) => (line.block[i] < 0 ? 1 : line.count[line.block[i]]);
const signatureOf = (line, i) => line.signatures[line.what[i]];

/** What is drawn in which colour: all by kind; where a call is chosen, others stand back. Sums anew: some 10 ms for a million. */
function sumUp(line, call) {
  const isOther = (what) => call !== null && (!what.call || what.call.name !== call);
  const kinds = line.signatures.map((what) => (isOther(what) ? notChosen : boxKinds.indexOf(what.call ? what.call.kind : "other")));
  const size = boxKinds.length, sum = new Float64Array(size);
  line.sums = new Float64Array((Math.floor(line.begin.length / sumStride) + 1) * size);
  for (const row of line.rows) for (let i = row.first; i < row.last; ++i) line.kind[i] = row.depth < 0 ? kinds[line.what[i]] : regionKind;
  for (let i = 0; i < line.begin.length; ++i) {
    if (i % sumStride === 0) line.sums.set(sum, (i / sumStride) * size);
    sum[line.kind[i]] += timeOf(line, i);
  }
  if (line.begin.length % sumStride === 0) line.sums.set(sum, (line.begin.length / sumStride) * size);
}

/** Times by kind of the boxes from i to before j, into `out`. */
function timesByKind(line, i, j, out) {
  const size = boxKinds.length, from = Math.ceil(i / sumStride), to = Math.floor(j / sumStride);
  out.fill(0);
  const addEach = (begin, end) => { for (let at = begin; at < end; ++at) out[line.kind[at]] += timeOf(line, at); };
  if (from >= to) return addEach(i, j);
  for (let kind = 0; kind < size; ++kind) out[kind] = line.sums[to * size + kind] - line.sums[from * size + kind];
  addEach(i, from * sumStride);
  addEach(to * sumStride, j);
}

/** First place from `low` to before `high` where values[place] >= value; it is expected near `low`. */
function lowerBound(values, low, high, value) {
  let step = 1;
  while (low + step < high && values[low + step] < value) { low += step; step *= 2; }
  high = Math.min(high, low + step);
  while (low < high) {
    const middle = (low + high) >> 1;
    if (values[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** First box of a row that ends after an instant. */
function firstAfter(line, row, at) {
  const next = lowerBound(line.begin, row.first, row.last, at);
  return next > row.first && line.end[next - 1] > at ? next - 1 : next;
}

/** Messages under way between two instants: [first, last) of those sent in between, and which earlier ones still are. At most
    `most` earlier ones are looked at. */
function messagesBetween(line, from, to, most) {
  const first = lowerBound(line.sent, 0, line.sent.length, from), last = lowerBound(line.sent, first, line.sent.length, to), earlier = [];
  for (let i = first - 1; i >= Math.max(0, first - most); --i) if (line.received[i] > from) earlier.push(i);
  return { first, last, earlier, count: last - first + earlier.length };
}
