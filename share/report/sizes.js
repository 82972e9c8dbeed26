// How large messages are: a histogram over powers of two, of all calls or the chosen one.

function sizeBars(figure) {
  const bins = [...new Map(data.sizes.map((row) => [row.bytes_from, row])).values()].sort((a, b) => a.bytes_from - b.bytes_from);
  if (bins.length === 0) return;
  const parts = frame(figure, "Message sizes", "bytes of one call; powers of two");
  const kinds = { calls: ["Calls", format.count], total_ns: ["Time", format.time], bytes: ["Bytes", format.bytes] };
  let quantity = choice(parts.controls, "size-quantity", "Shown", Object.entries(kinds).map(([key, [label]]) => [key, label]), (value) => { quantity = value; paint(); });
  const about = make("span", { class: "fixed" });
  parts.controls.append(about);
  const height = 220, margin = { top: 22, right: 8, bottom: 44, left: 70 };
  const svg = d3.select(parts.body).append("svg").attr({ role: "img", height });
  const range = (row) => (row.bytes_from === row.bytes_to ? format.bytes(row.bytes_from) : format.bytes(row.bytes_from) + " - " + format.bytes(row.bytes_to));

  function sums() {
    const rows = bins.map((bin) => ({ ...bin, calls: 0, total_ns: 0, bytes: 0 })), at = new Map(rows.map((row) => [row.bytes_from, row]));
    for (const row of data.sizes) {
      if (state.call !== null && row.call !== state.call) continue;
      for (const key of Object.keys(kinds)) at.get(row.bytes_from)[key] += row[key];
    }
    return rows;
  }

  let painted = 0;
  function paint() {
    painted = parts.body.clientWidth;
    const rows = sums(), width = Math.max(240, parts.body.clientWidth), show = kinds[quantity][1];
    const whose = state.rank === null ? "" : " of all ranks (the table below has the rows of the chosen one)";
    about.textContent = (state.call === null ? "all calls" : format.short(state.call, 50) + (rows.some((row) => row.calls) ? "" : ": moves no bytes")) + whose;
    margin.left = Math.max(70, 7 * show(Math.round(d3.max(rows, (row) => row[quantity]) || 1)).length + 14);
    const inner = Math.min(width - margin.left - margin.right, rows.length * 96);
    const x = d3.scale.ordinal().domain(rows.map((row) => row.bytes_from)).rangeBands([margin.left, margin.left + inner], 0.2);
    const y = d3.scale.linear().domain([0, d3.max(rows, (row) => row[quantity]) || 1]).range([height - margin.bottom, margin.top]);
    svg.attr({ width, viewBox: "0 0 " + width + " " + height,
      "aria-label": "Histogram of message sizes by " + kinds[quantity][0].toLowerCase() + ": " + rows.map((row) => range(row) + " " + show(row[quantity])).join("; ") });
    svg.selectAll("*").remove();
    svg.append("g").attr({ class: "axis", transform: "translate(" + (margin.left - 4) + ",0)" })
      .call(d3.svg.axis().scale(y).orient("left").ticks(4).tickFormat(show).innerTickSize(-inner).outerTickSize(0));
    const bar = svg.selectAll("g.size").data(rows).enter().append("g").attr("class", "size").attr("transform", (row) => "translate(" + x(row.bytes_from) + ",0)");
    bar.append("rect").attr({ class: "amount", width: x.rangeBand() }).attr("y", (row) => y(row[quantity])).attr("height", (row) => height - margin.bottom - y(row[quantity]));
    bar.append("text").attr({ class: "tick", x: x.rangeBand() / 2, y: height - margin.bottom + 14, "text-anchor": "middle" })
      .text((row) => (x.rangeBand() > 40 || rows.length < 8 ? format.bytes(row.bytes_from) : ""));
    if (x.rangeBand() > 44) bar.append("text").attr({ class: "figure", x: x.rangeBand() / 2, "text-anchor": "middle" })
      .attr("y", (row) => y(row[quantity]) - 5).text((row) => (row[quantity] ? show(row[quantity]) : ""));
    svg.append("text").attr({ class: "tick", x: margin.left, y: height - 8 }).text("from this size up to the next power of two");
    bar.on("mousemove", (row) => showTip(range(row) + ": " + format.plural(row.calls, "call") + ", " + format.time(row.total_ns) + ", " + format.bytes(row.bytes), d3.event.clientX, d3.event.clientY))
      .on("mouseleave", hideTip);
  }
  new ResizeObserver(() => {
    if (parts.body.clientWidth !== painted) paint();
  }).observe(parts.body);
  onChange(paint);
  onPaint(paint);
}
