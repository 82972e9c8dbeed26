"""What must hold in every merged profile, whatever the program: sums of parts are totals, parts are at most the whole."""

MEASURES = ("calls", "total_ns", "bytes_sent", "bytes_received")


def violations(data):
    """One sentence for every violation; empty: the profile is conserved."""
    found = []
    for check in (_calls, _signatures, _callsites, _ranks, _totals, _communicators, _matrix, _sizes, _efficiency, _regions):
        found += check(data)
    return found


def _sum(rows, key):
    return sum(row[key] for row in rows)


def _calls(data):
    ranks = len(data["ranks"])
    names = [row["name"] for row in data["calls"]]
    if len(set(names)) != len(names):
        yield "a procedure has two rows in calls[]"
    for row in data["calls"]:
        for key in MEASURES:
            values = row["per_rank"][key]
            if len(values) != ranks:
                yield f"{row['name']}: per_rank.{key} has {len(values)} values for {ranks} ranks"
            if sum(values) != row[key]:
                yield f"{row['name']}: per_rank.{key} adds up to {sum(values)}, the row says {row[key]}"
            if min(values, default=0) < 0:
                yield f"{row['name']}: per_rank.{key} has a negative value"
        if row["calls"] == 0:
            yield f"{row['name']}: a row without a call"
        elif not 0 <= row["min_ns"] <= row["mean_ns"] + 1 <= row["max_ns"] + 2 <= row["total_ns"] + 3:  # 1 ns of rounding each
            yield f"{row['name']}: min, mean, max, total " + str([row[k + "_ns"] for k in ("min", "mean", "max", "total")])
        elif not row["min_ns"] <= row["p50_ns"] <= row["p95_ns"] <= row["p99_ns"] <= row["max_ns"]:
            yield f"{row['name']}: percentiles are out of order"
        if row["errors"] > row["calls"]:
            yield f"{row['name']}: more errors than calls"


def _callsites(data):
    if not data["callsites"]:
        return
    rows = {row["name"]: row for row in data["calls"]}
    for name, row in rows.items():
        parts = [site for site in data["callsites"] if site["call"] == name]
        for key in MEASURES + ("errors",):
            if _sum(parts, key) != row[key]:
                yield f"{name}: call sites have {_sum(parts, key)} {key}, the row says {row[key]}"
    for site in data["callsites"]:
        if site["call"] not in rows:
            yield f"{site['call']} is in callsites only"
        if not site["ranks"] or site["ranks"] != sorted(set(site["ranks"])):
            yield f"{site['call']}: ranks {site['ranks']} of a call site"


def _signatures(data):
    rows = {row["name"]: row for row in data["calls"]}
    by_call = {}
    sizes = {world["id"]: world["size"] for world in data["worlds"]}
    for s in data["signatures"]:
        by_call.setdefault(s["call"], []).append(s)
        size, ranks = sizes[s["world"]], s["ranks"]
        if not ranks or ranks != sorted(set(ranks)) or not 0 <= ranks[0] <= ranks[-1] < size:
            yield f"{s['region']}: ranks {ranks} of a world of {size}"
        if s["peer"] >= size and len(sizes) == 1:
            yield f"{s['region']}: peer {s['peer']} in a world of {size}"
    for name in sorted(set(rows) | set(by_call)):
        if name not in rows or name not in by_call:
            yield f"{name} is in {'calls' if name in rows else 'signatures'} only"
            continue
        for key in MEASURES + ("errors",):
            parts = _sum(by_call[name], key)
            if parts != rows[name][key]:
                yield f"{name}: signatures have {parts} {key}, the row says {rows[name][key]}"
    keys = [(s["world"], s["region"]) for s in data["signatures"]]
    if len(set(keys)) != len(keys):
        yield f"two signatures have one name: {sorted({k for k in keys if keys.count(k) > 1})[:3]}"


def _ranks(data):
    for index, rank in enumerate(data["ranks"]):
        name = f"rank {rank['rank']} of world {rank['world']}"
        if not 0 <= rank["mpi_ns"] <= rank["wall_ns"]:
            yield f"{name}: mpi_ns {rank['mpi_ns']} of wall_ns {rank['wall_ns']}"
        spent = sum(row["per_rank"]["total_ns"][index] for row in data["calls"])
        if rank["threads"] == 1 and spent != rank["mpi_ns"]:
            yield f"{name}: its calls took {spent} ns, mpi_ns is {rank['mpi_ns']}"
        if rank["threads"] > 1 and spent < rank["mpi_ns"]:
            yield f"{name}: its calls took {spent} ns, less than the union {rank['mpi_ns']}"


def _totals(data):
    totals = data["totals"]
    for key in ("calls", "bytes_sent", "bytes_received"):
        if totals[key] != _sum(data["calls"], key):
            yield f"totals.{key} is {totals[key]}, the calls add up to {_sum(data['calls'], key)}"
    if totals["mpi_ns"] != _sum(data["ranks"], "mpi_ns"):
        yield f"totals.mpi_ns is {totals['mpi_ns']}, the ranks add up to {_sum(data['ranks'], 'mpi_ns')}"
    longest = max((rank["wall_ns"] for rank in data["ranks"]), default=totals["wall_ns"])
    if data["worlds"] and totals["wall_ns"] != longest:
        yield f"totals.wall_ns is {totals['wall_ns']}, the longest rank has {longest}"
    wall = _sum(data["ranks"], "wall_ns")
    if wall and abs(totals["mpi_share"] - totals["mpi_ns"] / wall) > 1e-6:
        yield f"totals.mpi_share is {totals['mpi_share']}, not {totals['mpi_ns']} / {wall}"


def _communicators(data):
    ids = [row["id"] for row in data["communicators"]]
    if len(set(ids)) != len(ids):
        yield "two communicators have one id"
    for row in data["communicators"]:
        parts = [s for s in data["signatures"] if s["comm"] == row["id"]]
        for key, part in (("calls", "calls"), ("total_ns", "total_ns"), ("bytes", "bytes_sent")):
            if row[key] != _sum(parts, part):
                yield f"communicator {row['id']}: {key} is {row[key]}, its signatures add up to {_sum(parts, part)}"
    for s in data["signatures"]:
        if s["comm"] >= 0 and s["comm"] not in ids:
            yield f"{s['region']}: communicator {s['comm']} is not in communicators[]"


def _matrix(data):
    """What goes out to peers in signatures is what the matrix holds, by sender wherever a signature has one rank only."""
    table = data["peers"]["p2p"]
    worlds = table.get("world", [0] * len(table["src"]))
    if len({len(table[key]) for key in ("src", "dst", "messages", "bytes")}) != 1:
        yield "peers.p2p: columns of different lengths"
        return
    foreign = {row["id"] for row in data["communicators"] if row["foreign"]}  # peers there are ranks of another world
    sent = [s for s in data["signatures"]
            if " kind=point-to-point " in s["region"] and s["peer"] >= 0 and s["comm"] not in foreign]
    folded = any(s["peer"] == -2 and s["bytes_sent"] for s in data["signatures"])
    if not folded and sum(table["bytes"]) != _sum(sent, "bytes_sent"):
        yield f"peers.p2p holds {sum(table['bytes'])} B, signatures with a peer sent {_sum(sent, 'bytes_sent')}"
    for world, src in sorted(set(zip(worlds, table["src"]))):
        mine = [s for s in sent if s["world"] == world and src in s["ranks"]]
        if all(len(s["ranks"]) == 1 for s in mine):
            row = sum(b for w, s, b in zip(worlds, table["src"], table["bytes"]) if (w, s) == (world, src))
            if row != _sum(mine, "bytes_sent"):
                yield f"peers.p2p: rank {src} of world {world} sent {row} B, its signatures {_sum(mine, 'bytes_sent')}"


def _sizes(data):
    rows = {row["name"]: row for row in data["calls"]}
    calls = {}
    for size in data["sizes"]:
        calls[size["call"]] = calls.get(size["call"], 0) + size["calls"]
        if not 0 <= size["bytes_from"] <= size["bytes_to"]:
            yield f"sizes: {size['call']} from {size['bytes_from']} to {size['bytes_to']}"
    for name, count in calls.items():
        if count > rows[name]["calls"]:
            yield f"sizes: {name} has {count} calls, of {rows[name]['calls']}"


def _efficiency(data):
    e = data["efficiency"]
    if e["parallel"] is not None:
        if abs(e["parallel"] - e["load_balance"] * e["communication"]) > 1e-6:
            yield f"efficiency: {e['parallel']} is not {e['load_balance']} x {e['communication']}"
        if not all(0 <= e[key] <= 1.000001 for key in ("parallel", "load_balance", "communication")):
            yield f"efficiency out of 0..1: {e}"


def _regions(data):
    """Children add up to their parent, ranks to the whole. Profiles of the Python package have no paths and no figures by rank."""
    rows = {row["path"]: row for row in data["regions"]}
    if len(rows) != len(data["regions"]):
        yield "two regions have one path"
    if any("self_ns" not in row["per_rank"] for row in data["regions"]):
        return
    inside = {path: dict.fromkeys(("total_ns", "mpi_ns", "mpi_calls"), 0) for path in rows}
    for path, row in rows.items():
        parent = _parent(path)
        if parent is not None and parent not in rows:
            yield f"region {path}: its parent is missing"
        for key in inside.get(parent, ()):
            inside[parent][key] += row[key]
        for key in ("calls", "total_ns", "self_ns", "mpi_ns", "mpi_calls"):
            if sum(row["per_rank"][key]) != row[key] or min(row["per_rank"][key]) < 0:
                yield f"region {path}: per_rank.{key} {row['per_rank'][key]} of {row[key]}"
        if not 0 <= row["mpi_ns"] <= row["total_ns"] or not row["min_ns"] <= row["max_ns"] <= row["total_ns"] or row["calls"] < 1:
            yield f"region {path}: {row['calls']} calls, MPI {row['mpi_ns']}, min {row['min_ns']}, max {row['max_ns']} of {row['total_ns']}"
    for path, row in rows.items():
        own = {"total_ns": row["self_ns"], "mpi_ns": row["mpi_self_ns"], "mpi_calls": row["mpi_self_calls"]}
        for key, self in own.items():
            if self < 0 or self + inside[path][key] != row[key]:
                yield f"region {path}: {key} {row[key]}, its own {self} and its children's {inside[path][key]}"


def _parent(path):
    """A / between names has no odd number of \\ before it."""
    at = len(path)
    while (at := path.rfind("/", 0, at)) >= 0:
        before = path[:at]
        if (len(before) - len(before.rstrip("\\"))) % 2 == 0:
            return before
    return None
