// Every table of the report: sort by a click or the keyboard, filter, all columns, and the rows of what is chosen.

const cellOf = (row, index) => row.cells[index];

function sortValue(cell, numeric) {
  if (!numeric) return cell.textContent.toLowerCase();
  return cell.dataset.v === "" ? null : Number(cell.dataset.v);
}

/** Numbers largest first at the first click, texts ascending; unknown values last either way. */
function sortTable(table, index, descending) {
  const head = table.tHead.rows[0].cells[index], numeric = head.classList.contains("n");
  for (const detail of table.querySelectorAll("tr.detail")) detail.remove();
  const rows = [...table.tBodies[0].rows].map((row, at) => ({ row, at, value: sortValue(cellOf(row, index), numeric) }));
  rows.sort((a, b) => {
    if (a.value === b.value) return a.at - b.at;
    if (a.value === null || b.value === null) return a.value === null ? 1 : -1;
    return (a.value < b.value ? -1 : 1) * (descending ? -1 : 1);
  });
  table.tBodies[0].append(...rows.map(({ row }) => row));
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  head.setAttribute("aria-sort", descending ? "descending" : "ascending");
  table.dispatchEvent(new Event("sorted"));
}

function sortable(table) {
  [...table.tHead.rows[0].cells].forEach((head, index) => {
    const button = make("button", { type: "button", class: "sort" }, head.textContent);
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const now = head.getAttribute("aria-sort");
      sortTable(table, index, now ? now === "ascending" : head.classList.contains("n") && head.dataset.key !== "rank");
    });
  });
}

/** "0-3,8" has 2. */
function inRanges(text, rank) {
  return text.split(",").some((part) => {
    const [first, last] = part.split("-").map(Number);
    return rank >= first && rank <= (last === undefined ? first : last);
  });
}

/** Whether a row is about what is chosen: of a rank, those that it has a part in. */
function aboutChosen(row, kind) {
  const chosen = row.dataset;
  const ofWorld = state.rank === null || chosen.world === undefined || Number(chosen.world) === ranks.world[state.rank];
  const rank = state.rank === null ? null : ranks.rank[state.rank];
  if (rank !== null && kind === "peer") {
    if (!ofWorld || (Number(chosen.src) !== rank && Number(chosen.dst) !== rank)) return false;
  }
  if (rank !== null && (kind === "callsite" || kind === "comm" || kind === "size")) {
    if (!ofWorld || (chosen.rank_list && !inRanges(chosen.rank_list, rank))) return false;
  }
  return !(state.call !== null && (kind === "size" || kind === "callsite") && chosen.call !== state.call);
}

function enhance(table) {
  const kind = table.dataset.table, scroll = table.closest(".scroll");
  const bar = make("div", { class: "table-tools" }), count = make("span", { class: "count", role: "status" });
  let words = "";

  function update() {
    let shown = 0, all = 0;
    for (const row of table.tBodies[0].rows) {
      if (row.classList.contains("detail")) continue;
      const visible = aboutChosen(row, kind) && (words === "" || row.textContent.toLowerCase().includes(words));
      row.hidden = !visible;
      all += 1;
      shown += visible;
      if (kind === "rank") {
        const mine = state.rank !== null && Number(row.dataset.rank) === ranks.rank[state.rank] && Number(row.dataset.world) === ranks.world[state.rank];
        if (mine) row.setAttribute("aria-current", "true");
        else row.removeAttribute("aria-current");
      }
    }
    count.textContent = shown === all ? format.plural(all, "row") : format.count(shown) + " of " + format.plural(all, "row");
    for (const detail of table.querySelectorAll("tr.detail")) detail.hidden = detail.previousElementSibling.hidden;
  }

  if (table.tBodies[0].rows.length > 4) {
    const filter = make("input", { type: "search", placeholder: "filter", "aria-label": "Filter the rows of: " + table.caption.textContent });
    filter.addEventListener("input", () => { words = filter.value.trim().toLowerCase(); update(); });
    bar.append(filter);
  }
  if (table.querySelector("th.extra")) {
    const box = make("input", { type: "checkbox" });
    box.addEventListener("change", () => table.classList.toggle("all-columns", box.checked));
    bar.append(make("label", {}, box, "All columns"));
  }
  bar.append(count);
  scroll.before(bar);
  sortable(table);
  table.addEventListener("sorted", update);
  onChange(update);
  update();
}

/** A click on a rank's row chooses the rank; the button in it does so for the keyboard. */
function rankRows() {
  const table = document.getElementById("table-rank");
  if (!table) return;
  for (const row of table.tBodies[0].rows) {
    const index = rankIndex.get(row.dataset.world + ":" + row.dataset.rank), cell = row.querySelector("th[scope=row]");
    if (index === undefined || !cell) continue;
    const button = make("button", { type: "button", class: "link" }, ...cell.childNodes);
    button.setAttribute("aria-label", "Choose " + rankText(index));
    button.addEventListener("click", () => toggleRank(index));
    cell.append(button);
  }
}
