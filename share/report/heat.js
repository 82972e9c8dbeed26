// Rank x call: where the ranks spend their time, and which of them differ.

const heatCalls = 14, heatColumns = 256;

function heatMap(figure) {
  const shown = calls.filter((row) => row.per_rank).slice(0, heatCalls);
  const group = Math.ceil(rankCount / heatColumns), columns = Math.ceil(rankCount / group);
  const some = rankCount < allRanks ? format.count(rankCount) + " of " + format.count(allRanks) + " ranks; " : "";
  const help = some + (shown.length < calls.length ? "the " + shown.length + " calls that took longest; " : "") +
    (group > 1 ? "a column is " + group + " ranks, its colour the one with the longest time" : "time of every " + (some ? "such " : "") + "rank in every call");
  const parts = frame(figure, "Time by call and rank", help);

  /** The rank of a column whose time in the call is longest. */
  function longest(r, c) {
    const times = shown[r].per_rank.total_ns;
    let best = c * group;
    for (let i = best; i < Math.min(rankCount, (c + 1) * group); ++i) if (times[i] > times[best]) best = i;
    return best;
  }
  let most = 0;
  for (const row of shown) for (const time of row.per_rank.total_ns) most = Math.max(most, time);

  const model = {
    label: "Heat map of the time that " + format.plural(rankCount, "rank") + " spent in " + format.plural(shown.length, "call") + "; the numbers are in the table of calls",
    rows: shown.map((row) => row.call),
    cols: Array.from({ length: columns }, (unused, c) => rankName(c * group)),
    rowTitle: "", colTitle: "rank",
    value: (r, c) => shown[r].per_rank.total_ns[longest(r, c)],
    share: (time) => (time > 0 ? 0.06 + 0.94 * Math.sqrt(time / most) : null),
    cell: format.time,
    text(r, c) {
      const rank = longest(r, c), row = shown[r].per_rank;
      return shown[r].call + " of " + rankText(rank) + " on " + format.short(hostOf(rank), 40) + ": " + format.time(row.total_ns[rank]) + ", " +
        format.plural(row.calls[rank], "call") + ", sent " + format.bytes(row.bytes_sent[rank]) + ", received " + format.bytes(row.bytes_received[rank]);
    },
    mark: () => ({
      row: state.call === null ? null : (shown.findIndex((row) => row.call === state.call) + 1 || null) && shown.findIndex((row) => row.call === state.call),
      col: state.rank === null ? null : Math.floor(state.rank / group),
    }),
    pick(r, c) {
      const rank = longest(r, c), same = state.rank === rank && state.call === shown[r].call;
      choose(same ? { rank: null, call: null } : { rank, call: shown[r].call });
    },
  };
  grid(parts, () => model);
  legend(parts, () => ({ from: "0 s", to: format.time(most), note: "darker or brighter is longer (square-root scale); empty: never called" }));
}
