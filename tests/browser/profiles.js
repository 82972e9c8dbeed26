"use strict";
// Profiles that no program made: a large one, and small ones that lack this or that.

const call = (name, kind, perRank) => {
  const sum = (values) => values.reduce((a, b) => a + b, 0);
  const calls = sum(perRank.calls), total = sum(perRank.total_ns);
  return { name, kind, calls, errors: 0, total_ns: total, min_ns: 100, max_ns: 9_000_000, mean_ns: calls ? total / calls : 0, std_ns: 10, p50_ns: 500, p95_ns: 800,
    p99_ns: 900, bytes_sent: sum(perRank.bytes_sent), bytes_received: sum(perRank.bytes_received), imbalance: 0.25, per_rank: perRank };
};

/** A stencil on `count` ranks of `hosts` hosts, each with the same work but the last of every host. */
function grid(count, hosts = 1) {
  const ranks = Array.from({ length: count }, (unused, i) => i), width = Math.ceil(Math.sqrt(count));
  const host = (i) => "node" + String(Math.floor((i * hosts) / count)).padStart(3, "0");
  const slow = (i) => i + 1 === count || host(i) !== host(i + 1);
  const neighbours = (i) => [i % width ? i - 1 : -1, i % width < width - 1 ? i + 1 : -1, i - width, i + width].filter((j) => j >= 0 && j < count);
  const waiting = (i) => (slow(i) ? 100_000_000 : 400_000_000 + ((i * 7919) % 97) * 1_000_000);
  const zero = ranks.map(() => 0), sent = ranks.map((i) => neighbours(i).length * 819_200);
  const calls = [
    call("MPI_Waitall", "wait", { calls: ranks.map(() => 400), total_ns: ranks.map(waiting), bytes_sent: zero, bytes_received: sent }),
    call("MPI_Allreduce", "collective", { calls: ranks.map(() => 400), total_ns: ranks.map((i) => waiting(i) / 2), bytes_sent: ranks.map(() => 3200), bytes_received: ranks.map(() => 3200) }),
    call("MPI_Isend", "point-to-point", { calls: ranks.map((i) => 400 * neighbours(i).length), total_ns: ranks.map(() => 2_000_000), bytes_sent: sent, bytes_received: zero }),
    ...["Irecv", "Init", "Finalize", "Bcast", "Reduce", "Gather", "Barrier", "Comm_split", "Cart_create", "Alltoall", "Scatter", "Type_commit", "Win_fence", "Comm_free"].map((name, at) =>
      call("MPI_" + name, "other", { calls: ranks.map(() => 4), total_ns: ranks.map((i) => 900_000 - 50_000 * at + (i % 13) * 1000), bytes_sent: zero, bytes_received: zero })),
  ];
  const mpi = ranks.map((i) => calls.reduce((sum, row) => sum + row.per_rank.total_ns[i], 0)), wall = 2_000_000_000;
  const edges = ranks.flatMap((i) => neighbours(i).map((j) => [i, j]));
  const matrix = (pairs, messages, bytes) => ({ world: pairs.map(() => 0), src: pairs.map((p) => p[0]), dst: pairs.map((p) => p[1]), messages: pairs.map(messages), bytes: pairs.map(bytes) });
  const outside = mpi.map((ns) => wall - ns), most = Math.max(...outside), mean = outside.reduce((a, b) => a + b, 0) / count;
  return {
    format: "scope-profiler-summary", format_version: 1, exporter: "scope-profiler@0.1.0", time_unit: "ns", complete: true,
    metadata: { command: ["mpiexec", "-n", String(count), "./stencil"], label: "synthetic", tags: {}, started: "2026-01-01T00:00:00Z", hosts: [...new Set(ranks.map(host))],
      launcher: "openmpi", mpi: { library: "Open MPI v4.1.4", standard: "3.1" }, exit_status: 0, cpu: "A CPU", run_id: "r" },
    worlds: [{ id: 0, size: count, parent: null, ranks_reported: count, missing: [], complete: true }],
    ranks: ranks.map((i) => ({ world: 0, rank: i, host: host(i), pid: 1000 + i, executable: "/opt/stencil", status: "finalized", signal: null, in_call: null, wall_ns: wall,
      mpi_ns: mpi[i], cpu_ns: wall, max_rss_bytes: 1 << 26, overhead_ns: 1000, threads: 1 })),
    totals: { wall_ns: wall, wall_sum_ns: wall * count, mpi_ns: mpi.reduce((a, b) => a + b, 0), mpi_share: mpi.reduce((a, b) => a + b, 0) / (wall * count),
      calls: calls.reduce((a, row) => a + row.calls, 0), bytes_sent: 0, bytes_received: 0, overhead_ns: 1000 * count },
    efficiency: { parallel: mean / wall, load_balance: mean / most, communication: most / wall },
    calls: calls.sort((a, b) => b.total_ns - a.total_ns), signatures: [],
    peers: { p2p: matrix(edges, () => 400, ([i, j]) => 819_200 * (Math.abs(i - j) > 1 ? 4 : 1)), rma: matrix([], () => 0, () => 0) },
    sizes: [[8, 15, 400], [1024, 2047, 800], [2048, 4095, 1600], [65536, 131071, 50]].flatMap(([from, to, number]) =>
      ["MPI_Isend", "MPI_Allreduce"].map((name) => ({ call: name, bytes_from: from, bytes_to: to, calls: number, bytes: number * from, total_ns: number * 1000 }))),
    communicators: [{ id: 0, world: 0, name: "MPI_COMM_WORLD", size: count, remote_size: 0, foreign: false, merged: false, calls: 400 * count, total_ns: 1_000_000, bytes: 3200 * count }],
    callsites: [], regions: [], findings: [], repeats: [], timeline: null, warnings: [],
  };
}

const perRank = (values) => ({ calls: values.map(() => 1), total_ns: values, bytes_sent: values.map(() => 0), bytes_received: values.map(() => 0) });
const region = (path, times, mpi) => ({ name: path.split("/").pop(), path, calls: times.length, total_ns: times.reduce((a, b) => a + b, 0), self_ns: 0, mpi_ns: mpi,
  min_ns: 1, max_ns: 2, per_rank: perRank(times), source: { file: "stencil.c", line: 12 } });

/** Everything a profile can hold, in small: two hosts, both layers, regions, call sites, a finding, a warning. */
function full() {
  const profile = grid(4, 2);
  profile.peers.rma = { world: [0], src: [3], dst: [0], messages: [7], bytes: [7168] };
  profile.regions = [region("main", [1e9, 1e9, 1e9, 1.2e9], 5e8), region("main/solve", [8e8, 8e8, 8e8, 1e9], 4e8), region("main/solve/exchange", [3e8, 3e8, 3e8, 3e8], 3e8),
    region("main/write", [1e8, 1e8, 1e8, 1e8], 0)];
  const frame = { function: "exchange", file: "/src/stencil.c", line: 77, python: false, module: "/opt/stencil", build_id: "0a", offset: 16 };
  const site = (name, where) => {
    const row = profile.calls.find((other) => other.name === name);
    return { world: 0, call: name, kind: row.kind, stack: [{ ...frame, line: 77 + where.length }], calls: row.calls, completions: 0, errors: 0, total_ns: row.total_ns, min_ns: 1,
      max_ns: 2, bytes_sent: row.bytes_sent, bytes_received: row.bytes_received, ranks: where };
  };
  profile.callsites = [site("MPI_Waitall", [0, 1, 2, 3]), site("MPI_Isend", [0, 1, 2]), site("MPI_Bcast", [3])];
  profile.findings = [{ id: "late-sender", severity: "high", text: "Rank 1 waits 0.4 s for messages of rank 3.", evidence: { share: 0.5 }, seconds_lost: 1.25 }];
  profile.warnings = [{ id: "folded", text: "Tags were folded on rank 2." }];
  return profile;
}

/** Text in every place that takes one from a run, `text` in all of them. */
function hostile(text) {
  const profile = full();
  profile.metadata.command = ["mpiexec", text];
  profile.metadata.label = text;
  profile.metadata.tags = { [text]: text };
  Object.assign(profile.metadata, { launcher: text, cpu: text, run_id: text, mpi: { library: text, standard: text }, hosts: [text] });
  for (const rank of profile.ranks) Object.assign(rank, { host: text, executable: text });
  Object.assign(profile.ranks[1], { status: "killed", signal: 9, in_call: "MPI_Send" });
  profile.communicators[0].name = text;
  profile.calls[0].name = text;
  profile.sizes[0].call = text;
  for (const row of profile.regions) Object.assign(row, { name: text, path: row.path.replace("solve", text.replaceAll("/", "|")), source: { file: text, line: 1 } });
  for (const row of profile.callsites) Object.assign(row.stack[0], { function: text, file: text, module: text });
  Object.assign(profile.callsites[0], { call: text });
  profile.findings = [{ id: text, severity: text, text, evidence: {}, seconds_lost: 0 }];
  profile.warnings = [{ id: text, text }];
  return profile;
}

/** A program that never called MPI. */
function empty() {
  const profile = grid(1);
  Object.assign(profile, { worlds: [], ranks: [], calls: [], sizes: [], communicators: [], efficiency: { parallel: null, load_balance: null, communication: null } });
  for (const key of Object.keys(profile.totals)) profile.totals[key] = 0;
  Object.assign(profile.metadata, { command: ["./serial"], hosts: [], mpi: { library: "", standard: "" } });
  return profile;
}

/** Ranks 2 and 3 of 4 never reported; rank 1 was killed. Rank 0 sent to one that is not there. */
function partial() {
  const profile = grid(2);
  profile.complete = false;
  profile.worlds = [{ id: 0, size: 4, parent: null, ranks_reported: 2, missing: [2, 3], complete: false }];
  Object.assign(profile.ranks[1], { status: "killed", signal: 9, in_call: "MPI_Recv" });
  for (const [key, value] of Object.entries({ world: 0, src: 0, dst: 3, messages: 5, bytes: 50 })) profile.peers.p2p[key].push(value);
  profile.warnings = [{ id: "ranks-missing", text: "2 of 4 ranks did not report." }];
  return profile;
}

module.exports = { empty, full, grid, hostile, partial };
