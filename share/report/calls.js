// The table of calls: a call's ranks below it, and the chosen rank's numbers beside all ranks'.

const detailRows = 16;

function callDetail(name, columns) {
  const row = calls.find((other) => other.call === name);
  if (!row || !row.per_rank) return null;
  const numbers = row.per_rank;
  const order = d3.range(rankCount).filter((i) => numbers.calls[i] > 0 || numbers.total_ns[i] > 0).sort((a, b) => numbers.total_ns[b] - numbers.total_ns[a]);
  const most = order.length ? numbers.total_ns[order[0]] || 1 : 1;
  const shown = order.length > detailRows ? [...order.slice(0, detailRows - 2), ...order.slice(-2)] : order;
  if (state.rank !== null && order.includes(state.rank) && !shown.includes(state.rank)) shown.push(state.rank);
  const body = make("tbody");
  for (const i of shown) {
    const time = make("td", { class: "n bar" }, format.time(numbers.total_ns[i]));
    time.style.setProperty("--v", (100 * numbers.total_ns[i]) / most + "%");
    const pick = make("button", { type: "button", class: "link" }, "rank " + rankName(i));
    pick.addEventListener("click", () => toggleRank(i));
    const line = make("tr", {}, make("th", { scope: "row" }, pick), make("td", {}, format.short(hostOf(i), 40)), time,
      make("td", { class: "n" }, format.count(numbers.calls[i])), make("td", { class: "n" }, format.bytes(numbers.bytes_sent[i])),
      make("td", { class: "n" }, format.bytes(numbers.bytes_received[i])));
    if (i === state.rank) line.setAttribute("aria-current", "true");
    body.append(line);
  }
  const heads = ["rank", "host", "time", "calls", "bytes sent", "bytes received"];
  const inner = make("table", { class: "inner" }, make("caption", {}, format.short(name, 60) + " by rank, longest first" +
    (shown.length < order.length ? ": " + shown.length + " of " + format.count(order.length) + " ranks, the two shortest last" : "")),
    make("thead", {}, make("tr", {}, ...heads.map((head, i) => make("th", { scope: "col", class: i > 1 ? "n" : "t" }, head)))), body);
  return make("tr", { class: "detail" }, make("td", { colspan: columns }, inner));
}

function callTable() {
  const table = document.getElementById("table-call");
  if (!table || !data.calls) return;
  const rows = [...table.tBodies[0].rows];
  for (const row of rows) {
    const cell = row.querySelector("th[scope=row]");
    const open = calls.some((other) => other.call === row.dataset.call && other.per_rank);
    const button = make("button", open ? { type: "button", class: "expand", "aria-expanded": "false" } : { type: "button", class: "link" });
    if (cell.querySelector("details")) {
      button.setAttribute("aria-label", open ? "Ranks of this call" : "Choose this call");
      cell.prepend(button);
    } else {
      button.append(...cell.childNodes);
      cell.append(button);
    }
    button.addEventListener("click", () => toggleCall(row.dataset.call));
  }

  /** Two columns for the chosen rank. They are not sorted by: they come and go. */
  function rankColumns() {
    for (const cell of table.querySelectorAll(".of-rank")) cell.remove();
    if (state.rank === null || !calls.some((row) => row.per_rank)) return;
    const name = "rank " + rankName(state.rank);
    table.tHead.rows[0].append(make("th", { scope: "col", class: "n of-rank" }, name + " calls"), make("th", { scope: "col", class: "n of-rank" }, name + " time"));
    for (const row of rows) {
      const found = calls.find((other) => other.call === row.dataset.call);
      const number = (values, show) => make("td", { class: "n of-rank" }, values ? show(values[state.rank]) : "-");
      const numbers = found && found.per_rank;
      row.append(number(numbers && numbers.calls, format.count), number(numbers && numbers.total_ns, format.time));
    }
  }

  function update() {
    for (const detail of table.querySelectorAll("tr.detail")) detail.remove();
    rankColumns();
    for (const row of rows) {
      const open = row.dataset.call === state.call;
      const button = row.querySelector("button.expand");
      if (button) button.setAttribute("aria-expanded", String(open));
      row.classList.toggle("chosen", open);
      const detail = open ? callDetail(state.call, row.cells.length) : null;
      if (detail) row.after(detail);
    }
  }
  table.addEventListener("sorted", update);
  onChange(update);
}
