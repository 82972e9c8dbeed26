// The program's regions as a flame graph: a region stands on the one that it is in, as wide as its time; the hatched part is MPI.

/** The names of a path, which stand between /; a / or \ in a name has a \ before it. */
function namesOf(path) {
  const names = [""];
  for (let i = 0; i < path.length; i++) {
    if (path[i] === "\\" && i + 1 < path.length) names[names.length - 1] += path[++i];
    else if (path[i] === "/") names.push("");
    else names[names.length - 1] += path[i];
  }
  return names;
}

/** The tree of paths. A region whose time is not there is as long as what is in it. */
function regionTree() {
  const root = { name: "all regions", path: "", children: new Map(), row: null };
  for (const row of data.regions) {
    let node = root;
    for (const name of namesOf(row.path)) {
      if (!node.children.has(name)) node.children.set(name, { name, path: (node.path ? node.path + "/" : "") + name, children: new Map(), row: null, parent: node });
      node = node.children.get(name);
    }
    node.row = row;
  }
  return root;
}

function flameGraph(figure) {
  if (data.regions.length === 0) return;
  const parts = frame(figure, "Regions", "a region stands below the one that it is in, as wide as its time; hatched: MPI in it; click or Enter to look into one");
  const root = regionTree(), rowHeight = 24;
  const svg = d3.select(parts.body).append("svg").attr({ role: "group", "aria-label": "Flame graph of the regions; the numbers are in the table of regions" });
  let top = root;

  /** Of all ranks: none is chosen, or each one's is not kept. */
  const all = () => state.rank === null || !data.regions.some((row) => row.per_rank.total_ns.length > 0);

  function time(node) {
    const own = node.row && (all() ? node.row.total_ns : node.row.per_rank.total_ns[state.rank] || 0);
    return Math.max(own || 0, d3.sum([...node.children.values()], time));
  }
  const text = (node) => (node.path || "all regions") + ": " + format.time(time(node)) + (all() ? " over all ranks" : " of " + rankText(state.rank)) +
    (node.row && all() ? ", " + format.plural(node.row.calls, "time") + (node.row.mpi_ns === null ? "" : ", " + format.time(node.row.mpi_ns) + " of it in MPI") : "");

  function place(node, x, width, depth, out) {
    const whole = time(node);
    out.push({ node, x, width, depth });
    let at = x;
    for (const child of [...node.children.values()].sort((a, b) => time(b) - time(a))) {
      const share = whole > 0 ? (width * time(child)) / whole : 0;
      if (share >= 0.5) place(child, at, share, depth + 1, out);
      at += share;
    }
    return out;
  }

  let painted = 0;
  function paint() {
    painted = parts.body.clientWidth;
    const width = Math.max(240, parts.body.clientWidth - 2);
    const boxes = place(top, 1, width - 2, 0, []), height = (d3.max(boxes, (box) => box.depth) + 1) * rowHeight + 2;
    svg.attr({ width, height, viewBox: "0 0 " + width + " " + height });
    svg.selectAll("*").remove();
    const hatch = svg.append("defs").append("pattern").attr({ id: "hatch", width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" });
    hatch.append("rect").attr({ width: 6, height: 6, class: "hatch-ground" });
    hatch.append("rect").attr({ width: 2, height: 6, class: "hatch-line" });
    const box = svg.selectAll("g.region").data(boxes).enter().append("g")
      .attr({ class: "region", tabindex: 0, role: "button" }).attr("aria-label", (d) => text(d.node))
      .attr("transform", (d) => "translate(" + d.x + "," + d.depth * rowHeight + ")");
    box.append("rect").attr({ class: "frame", height: rowHeight - 2 }).attr("width", (d) => Math.max(0.5, d.width - 1));
    box.filter((d) => d.node.row && d.node.row.mpi_ns && state.rank === null).append("rect").attr({ class: "mpi", height: 5, y: rowHeight - 7, fill: "url(#hatch)" })
      .attr("width", (d) => Math.max(0, d.width - 1) * Math.min(1, d.node.row.mpi_ns / (time(d.node) || 1)));
    box.append("text").attr({ x: 5, y: 14 }).text((d) => (d.width > 40 ? format.short(d.node.name, Math.floor(d.width / 7.5)) : ""));
    const zoom = (d) => { top = d.node === top && top.parent ? top.parent : d.node; parts.readout.textContent = text(top); paint(); };
    box.on("click", zoom).on("keydown", (d) => { if (d3.event.key === "Enter" || d3.event.key === " ") { d3.event.preventDefault(); zoom(d); } })
      .on("mousemove", (d) => showTip(text(d.node), d3.event.clientX, d3.event.clientY)).on("mouseleave", hideTip)
      .on("focus", (d) => { parts.readout.textContent = text(d.node); });
  }
  new ResizeObserver(() => {
    if (parts.body.clientWidth !== painted) paint();
  }).observe(parts.body);
  onChange(paint);
  onPaint(paint);
}
