// Time of every rank outside MPI and in it, as columns; of a chosen call, too.

const rankColumns = 512;

function rankBars(figure) {
  const group = Math.ceil(rankCount / rankColumns);
  const parts = frame(figure, "Time outside MPI and in it",
    rankCount < allRanks
      ? format.count(rankCount) + " of " + format.count(allRanks) + " ranks: of each " + Math.ceil(allRanks / rankColumns) + " in a row the one with the longest time outside MPI, and those with the shortest and longest times in a call or region"
      : group > 1 ? "a column is the rank of " + group + " with the longest time outside MPI" : "a column is a rank; equal columns of lower part mean balanced work");
  const outside = (i) => Math.max(0, ranks.wall_ns[i] - ranks.mpi_ns[i]);
  const order = { by: "rank" };

  function chosenRanks() {
    const list = [];
    for (let begin = 0; begin < rankCount; begin += group) {
      let best = begin;
      for (let i = begin; i < Math.min(rankCount, begin + group); ++i) if (outside(i) > outside(best)) best = i;
      list.push(best);
    }
    return order.by === "rank" ? list : list.sort((a, b) => outside(b) - outside(a));
  }

  const text = (i) => rankText(i) + " on " + format.short(hostOf(i), 40) + ": " + format.time(ranks.wall_ns[i]) + " wall, " + format.time(outside(i)) +
    " outside MPI, " + format.time(ranks.mpi_ns[i]) + " in MPI (" + format.percent(ranks.mpi_share[i]) + ")" +
    (state.call === null || !ofRanks() ? "" : ", of which " + format.time(timeInCall(i)) + " in " + format.short(state.call, 40)) +
    (ranks.status[i] === "finalized" ? "" : ", " + ranks.status[i]);
  const ofRanks = () => calls.some((other) => other.call === state.call && other.per_rank);
  const timeInCall = (i) => {
    const row = calls.find((other) => other.call === state.call);
    return row && row.per_rank ? row.per_rank.total_ns[i] : 0;
  };

  const svg = d3.select(parts.body).append("svg").attr({ role: "img", tabindex: 0, height: 240 });
  const height = 240, margin = { top: 10, right: 8, bottom: 34, left: 64 };
  let list = [], cursor = null, place = null, band = 10;

  let painted = 0;
  function paint() {
    painted = parts.body.clientWidth;
    const width = Math.max(240, parts.body.clientWidth);
    list = chosenRanks();
    svg.attr({ width, viewBox: "0 0 " + width + " " + height,
      "aria-label": "Columns of the time of " + format.plural(rankCount, "rank") + " outside MPI and in it; the numbers are in the table of ranks (arrow keys move, Enter chooses)" });
    svg.selectAll("*").remove();
    const inner = Math.min(width - margin.left - margin.right, list.length * 72);
    place = d3.scale.ordinal().domain(d3.range(list.length)).rangeBands([margin.left, margin.left + inner], list.length > 128 ? 0 : 0.25);
    band = place.rangeBand();
    const most = d3.max(list, (i) => Math.max(ranks.wall_ns[i], ranks.mpi_ns[i])) || 1;
    const y = d3.scale.linear().domain([0, most]).range([height - margin.bottom, margin.top]);
    svg.append("g").attr({ class: "axis", transform: "translate(" + (margin.left - 4) + ",0)" })
      .call(d3.svg.axis().scale(y).orient("left").ticks(5).tickFormat(format.time).innerTickSize(-inner).outerTickSize(0));
    const column = svg.selectAll("g.column").data(list).enter().append("g")
      .attr("class", (i, at) => "column" + (i === state.rank ? " chosen" : "") + (at === cursor && document.activeElement === svg.node() ? " cursor" : ""))
      .attr("transform", (i, at) => "translate(" + place(at) + ",0)");
    const bar = (name, from, to) => column.append("rect").attr("class", name).attr("width", Math.max(0.5, band))
      .attr("y", (i) => y(to(i))).attr("height", (i) => Math.max(0, y(from(i)) - y(to(i))));
    bar("outside", () => 0, outside);
    bar("inside", outside, (i) => outside(i) + ranks.mpi_ns[i]);
    if (ofRanks()) bar("call", outside, (i) => outside(i) + Math.min(timeInCall(i), ranks.mpi_ns[i]));
    column.append("rect").attr({ class: "hit", y: margin.top, height: height - margin.top - margin.bottom, width: Math.max(1, band) });
    column.on("mousemove", (i) => showTip(text(i), d3.event.clientX, d3.event.clientY)).on("mouseleave", hideTip);
    const letters = d3.max(list, (i) => rankName(i).length) || 1;
    const step = Math.ceil((list.length * (8 * letters + 10)) / Math.max(1, inner));
    column.filter((i, at) => at % step === 0).append("text")
      .attr({ class: "tick", x: band / 2, y: height - margin.bottom + 14, "text-anchor": "middle" }).text((i) => rankName(i));
    svg.append("text").attr({ class: "tick", x: margin.left, y: height - 4 }).text("rank");
    key();
  }

  const keys = make("div", { class: "legend" });
  parts.body.after(keys);
  function key() {
    const entry = (name, label) => make("span", { class: "key" }, make("span", { class: "swatch " + name, "aria-hidden": "true" }), label);
    keys.replaceChildren(entry("outside", "outside MPI (below)"), entry("inside", "in MPI (above)"),
      ...(!ofRanks() ? [] : [entry("call", "of which in " + format.short(state.call, 40))]));
  }

  // By position, so that a narrow column is hit, too.
  svg.on("click", () => {
    const x = d3.mouse(svg.node())[0], at = list.findIndex((unused, i) => x >= place(i) && x < place(i) + Math.max(1, band));
    if (at >= 0) { cursor = at; toggleRank(list[at]); }
  });
  svg.on("keydown", () => {
    const event = d3.event, move = { ArrowLeft: -1, ArrowRight: 1, Home: -1e9, End: 1e9 }[event.key];
    if (cursor === null) cursor = Math.max(0, list.indexOf(state.rank));
    if (move) {
      cursor = Math.max(0, Math.min(list.length - 1, cursor + move));
      parts.readout.textContent = text(list[cursor]);
    } else if (event.key === "Enter" || event.key === " ") toggleRank(list[cursor]);
    else if (event.key === "Escape") choose({ rank: null });
    else return;
    event.preventDefault();
    paint();
  });
  // Not painted anew: a column that is replaced between press and release gets no click.
  svg.on("focus", () => svg.selectAll("g.column").classed("cursor", (i, at) => at === cursor))
    .on("blur", () => svg.selectAll("g.column").classed("cursor", false));
  if (rankCount > 2) choice(parts.controls, "rank-order", "Order", [["rank", "Rank"], ["outside", "Time outside MPI"]], (by) => { order.by = by; cursor = null; paint(); });
  new ResizeObserver(() => {
    if (parts.body.clientWidth !== painted) paint();
  }).observe(parts.body);
  onChange(() => { parts.readout.textContent = state.rank === null ? "" : text(state.rank); paint(); });
  onPaint(paint);
}
