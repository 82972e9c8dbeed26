// Who sends how much to whom.

const matrixCells = 256;

/** Ranks in the order of the axes: those that reported, then those that others name. */
function matrixAxis(layers) {
  const { bins } = data.peers;
  if (bins) return { axis: bins.world.map((world, i) => [world, bins.first[i], bins.last[i]]), index: null };
  const axis = Array.from({ length: rankCount }, (unused, i) => [ranks.world[i], ranks.rank[i]]);
  const index = new Map(rankIndex);
  for (const layer of layers) {
    for (let i = 0; i < layer.src.length; ++i) {
      for (const rank of [layer.src[i], layer.dst[i]]) {
        const key = layer.world[i] + ":" + rank;
        if (index.has(key)) continue;
        index.set(key, axis.length);
        axis.push([layer.world[i], rank]);
      }
    }
  }
  return { axis, index };
}

function commMatrix(figure) {
  const layers = { p2p: data.peers.p2p, rma: data.peers.rma };
  const present = Object.keys(layers).filter((name) => layers[name].src.length > 0);
  if (present.length === 0) return;
  const { axis, index } = matrixAxis([layers.p2p, layers.rma]);
  const group = Math.ceil(axis.length / matrixCells), size = Math.ceil(axis.length / group);
  const name = (i) => (severalWorlds ? axis[i][0] + ":" : "") + axis[i][1];
  const parts = frame(figure, "Communication matrix",
    data.peers.bins ? "a cell is " + (axis[0][2] - axis[0][1] + 1) + " x " + (axis[0][2] - axis[0][1] + 1) + " ranks; a row sends, a column receives"
    : group > 1 ? "a cell is " + group + " x " + group + " ranks; a row sends, a column receives" : "a row sends, a column receives");
  const kinds = { p2p: "Point-to-point", rma: "One-sided" };
  const view = { layer: present[0], quantity: "bytes" };
  let sums, most, least;

  function sum() {
    const layer = layers[view.layer];
    sums = { bytes: new Float64Array(size * size), messages: new Float64Array(size * size) };
    for (let i = 0; i < layer.src.length; ++i) {
      const r = index ? Math.floor(index.get(layer.world[i] + ":" + layer.src[i]) / group) : layer.src[i];
      const c = index ? Math.floor(index.get(layer.world[i] + ":" + layer.dst[i]) / group) : layer.dst[i];
      sums.bytes[r * size + c] += layer.bytes[i];
      sums.messages[r * size + c] += layer.messages[i];
    }
    most = 0;
    least = Infinity;
    for (const value of sums[view.quantity]) if (value > 0) { most = Math.max(most, value); least = Math.min(least, value); }
  }
  sum();

  const show = (value) => (view.quantity === "bytes" ? format.bytes(value) : format.count(value));
  const span = (bin) => {
    if (!index && axis[bin][2] > axis[bin][1]) return "ranks " + name(bin) + "-" + axis[bin][2];
    const first = name(bin * group), last = name(Math.min(axis.length, (bin + 1) * group) - 1);
    return group > 1 && first !== last ? "ranks " + first + "-" + last : "rank " + first;
  };
  /** Where the next rank is on another host. */
  const breaks = [];
  for (let i = 1; index && i < rankCount; ++i) if (i % group === 0 && ranks.host[i] !== ranks.host[i - 1]) breaks.push(i / group);
  const nodes = breaks.length > 0 && breaks.length <= size / 2 ? breaks : [];

  const bin = () => {
    if (state.rank === null) return null;
    if (index) return Math.floor(state.rank / group);
    return axis.findIndex(([world, first, last]) => world === ranks.world[state.rank] && first <= ranks.rank[state.rank] && ranks.rank[state.rank] <= last);
  };
  const model = () => ({
    label: kinds[view.layer] + " communication matrix of " + format.plural(allRanks > rankCount ? allRanks : axis.length, "rank") + " by " + view.quantity + "; the numbers are in the table of peers",
    rows: Array.from({ length: size }, (unused, i) => name(i * group)),
    cols: Array.from({ length: size }, (unused, i) => name(i * group)),
    rowTitle: "from rank", colTitle: "to rank",
    square: true, rowBreaks: nodes, colBreaks: nodes,
    value: (r, c) => sums[view.quantity][r * size + c],
    share: (value) => (value <= 0 ? null : most > least ? 0.1 + (0.9 * Math.log(value / least)) / Math.log(most / least) : 0.6),
    cell: show,
    text: (r, c) => span(r) + " to " + span(c) + ": " + format.plural(sums.messages[r * size + c], view.layer === "rma" ? "operation" : "message") +
      ", " + format.bytes(sums.bytes[r * size + c]),
    mark: () => ({ row: bin(), col: bin() }),
    pick: (r) => { if (index && r * group < rankCount) toggleRank(r * group); },
  });

  let cached = model();
  const redraw = () => { sum(); cached = model(); table.reset(); key(); };
  if (present.length > 1) choice(parts.controls, "matrix-layer", "Layer", present.map((layer) => [layer, kinds[layer]]), (layer) => { view.layer = layer; redraw(); });
  else parts.controls.append(make("span", { class: "fixed" }, kinds[present[0]]));
  choice(parts.controls, "matrix-quantity", "Shown", [["bytes", "Bytes"], ["messages", "Messages"]], (quantity) => { view.quantity = quantity; redraw(); });
  const table = grid(parts, () => cached);
  const key = legend(parts, () => ({
    from: show(least), to: show(most),
    note: "logarithmic scale; empty: no traffic" + (nodes.length ? "; dashed lines: between nodes" : ""),
  }));
  const partners = make("p", { class: "partners" });
  figure.append(partners);
  onChange(() => { partners.textContent = state.rank === null || !index ? "" : partnersText(layers[view.layer], state.rank); });
}

/** "Rank 3 sends 800 messages, 6.10 MiB to 2 ranks (most to 1) and receives ... ". */
function partnersText(layer, rank) {
  const side = (mine, other) => {
    let messages = 0, bytes = 0, most = -1;
    const found = new Set();
    for (let i = 0; i < layer.src.length; ++i) {
      if (layer.world[i] !== ranks.world[rank] || layer[mine][i] !== ranks.rank[rank]) continue;
      messages += layer.messages[i];
      bytes += layer.bytes[i];
      found.add(layer[other][i]);
      if (most < 0 || layer.bytes[i] > layer.bytes[most]) most = i;
    }
    if (found.size === 0) return "nothing";
    const joined = mine === "src" ? " to " : " from ";
    return format.plural(messages, "message") + ", " + format.bytes(bytes) + joined + format.plural(found.size, "rank") +
      (found.size > 1 ? " (most" + joined + "rank " + layer[other][most] + ", " + format.bytes(layer.bytes[most]) + ")" : "");
  };
  const text = rankText(rank);
  return text[0].toUpperCase() + text.slice(1) + " sends " + side("src", "dst") + "; it is sent " + side("dst", "src") + ".";
}
