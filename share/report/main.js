// Puts it together: what is chosen, in the header; then the views.

function chooser() {
  const tools = document.getElementById("tools");
  const rank = make("input", { type: "search", id: "pick-rank", placeholder: "all", size: 6, autocomplete: "off", "aria-describedby": "selection" });
  const call = make("select", { id: "pick-call" }, make("option", { value: "" }, "all"));
  for (const row of calls) call.append(make("option", { value: row.call }, format.short(row.call, 40)));
  const clear = make("button", { type: "button", id: "clear" }, "Show all");
  const step = (by, label, sign) => {
    const button = make("button", { type: "button", "aria-label": label }, sign);
    button.addEventListener("click", () => choose({ rank: state.rank === null ? (by > 0 ? 0 : rankCount - 1) : (state.rank + by + rankCount) % rankCount }));
    return button;
  };
  const selection = make("p", { id: "selection", role: "status" });

  rank.addEventListener("change", () => {
    const word = rank.value.trim(), index = word === "" ? null : findRank(word);
    rank.setAttribute("aria-invalid", String(index === undefined));
    if (index === undefined) selection.textContent = (rankCount < allRanks ? "This page has " + format.count(rankCount) + " of the ranks, and not rank " : "There is no rank ") + format.short(word, 20) + (rankCount < allRanks ? "." : " here.");
    else choose({ rank: index });
  });
  call.addEventListener("change", () => choose({ call: call.value === "" ? null : call.value }));
  clear.addEventListener("click", () => choose({ rank: null, call: null }));
  onChange(() => {
    rank.value = state.rank === null ? "" : rankName(state.rank);
    rank.setAttribute("aria-invalid", "false");
    call.value = calls.some((row) => row.call === state.call) ? state.call : "";
    clear.hidden = state.rank === null && state.call === null;
    selection.textContent = selectionText();
    selection.hidden = selection.textContent === "";
  });
  if (rankCount > 1) tools.append(make("span", { class: "pick" }, make("label", { for: "pick-rank" }, "Rank"), step(-1, "Previous rank", "‹"), rank, step(1, "Next rank", "›")));
  if (calls.length > 1) tools.append(make("span", { class: "pick" }, make("label", { for: "pick-call" }, "Call"), call));
  tools.append(clear, themeButton());
  tools.after(selection);
}

/** "Rank 3 on node1: 3.10 s wall, 1.20 s in MPI (38.7 %), most of it in MPI_Recv (0.9 s)." */
function selectionText() {
  const parts = [];
  if (state.rank !== null) {
    const i = state.rank;
    let text = rankText(i) + " on " + format.short(hostOf(i), 40) + ": " + format.time(ranks.wall_ns[i]) + " wall, " + format.time(ranks.mpi_ns[i]) +
      " in MPI (" + format.percent(ranks.mpi_share[i]) + ")";
    let longest = null;
    for (const row of calls) if (row.per_rank && (!longest || row.per_rank.total_ns[i] > longest.per_rank.total_ns[i])) longest = row;
    if (longest && longest.per_rank.total_ns[i] > 0) text += ", most of it in " + format.short(longest.call, 40) + " (" + format.time(longest.per_rank.total_ns[i]) + ")";
    parts.push(text[0].toUpperCase() + text.slice(1));
  }
  if (state.call !== null) {
    const row = calls.find((other) => other.call === state.call);
    let text = format.short(state.call, 60);
    if (row && row.per_rank && state.rank !== null) text += ": " + format.time(row.per_rank.total_ns[state.rank]) + " in " + format.plural(row.per_rank.calls[state.rank], "call");
    parts.push(text);
  }
  return parts.join(" · ");
}

/** Links to sections keep what is chosen. */
function sectionLinks() {
  for (const link of document.querySelectorAll("nav a, a.skip")) {
    link.addEventListener("click", (event) => {
      const id = link.getAttribute("href").slice(1), section = document.getElementById(id);
      if (!section) return;
      event.preventDefault();
      writeHash(id);
      section.scrollIntoView();
      section.setAttribute("tabindex", "-1");
      section.focus({ preventScroll: true });
    });
  }
}

const charts = { "calls-heat": [heatMap, () => calls.some((row) => row.per_rank) && rankCount > 0], ranks: [rankBars, () => rankCount > 0],
  matrix: [commMatrix, () => data.peers], sizes: [sizeBars, () => data.sizes], regions: [flameGraph, () => data.regions], timeline: [timelineChart, () => data.timeline] };

chooser();
for (const [id, [draw, possible]] of Object.entries(charts)) {
  const figure = document.getElementById("chart-" + id);
  if (figure && possible()) draw(figure);
}
for (const table of document.querySelectorAll("table[data-table]")) enhance(table);
callTable();
rankRows();
sectionLinks();
addEventListener("popstate", followHash);
addEventListener("hashchange", followHash);
followHash();
document.documentElement.dataset.ready = "true";
