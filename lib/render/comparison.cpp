#include "render/comparison.hpp"

#include <cmath>

#include "render/comparison_parts.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace scope::render {
namespace {

using compare::Change;
using compare::Noise;
using compare::ScalingRow;
using compare::Side;
using compare::SideBySide;

Cell text(std::string value) { return {std::move(value), ""}; }
Cell number(std::int64_t value) { return {value, ""}; }
Cell ns(std::optional<double> value) { return value ? Cell{static_cast<std::int64_t>(std::llround(*value)), ""} : Cell{}; }
Cell count(double value) { return {static_cast<std::int64_t>(std::llround(value)), ""}; }
Cell ratio(std::optional<double> value) { return value ? Cell{*value, ""} : Cell{}; }

/// "+12.3 %"; a percentage says nothing about what became ten times as long.
Cell change(std::optional<double> value) {
  if (!value) return {};
  char shown[32];
  if (*value >= 9) std::snprintf(shown, sizeof shown, "x %.1f", *value + 1);
  else std::snprintf(shown, sizeof shown, "%+.1f %%", *value * 100);
  return {*value, shown};
}

Cell signed_ns(double value) {
  const std::string shown = support::format_ns(std::abs(value));
  return {static_cast<std::int64_t>(std::llround(value)), (value < 0 ? "-" : value > 0 ? "+" : "") + shown};
}

Cell factor(double value) {
  char shown[32];
  std::snprintf(shown, sizeof shown, "%.2f", value);
  return {value, shown};
}

const char *noise_word(Noise noise) {
  switch (noise) {
    case Noise::within: return "within noise";
    case Noise::beyond: return "beyond noise";
    case Noise::unknown: return "";
  }
  return "";
}

std::string name_of(const Side &side) { return side.label.empty() ? side.file : side.label; }

template <class Rows, class Test>
bool any(const Rows &rows, Test test) {
  for (const auto &row : rows)
    if (test(row)) return true;
  return false;
}

Table profiles_table(const SideBySide &sides) {
  const bool timeline = any(sides.sides, [](const Side &side) { return side.serialisation.has_value(); });
  const bool repeats = any(sides.sides, [](const Side &side) { return side.repeats > 0; });
  Table table{"profiles", "Profiles", "The first is the base. Wall time: of the longest rank. Of repetitions the medians.", {}, {}, 0};
  table.columns = {{"file", "profile"},
                   {"label", "label", Type::text, any(sides.sides, [](const Side &side) { return !side.label.empty(); }), 1},
                   {"ranks", "ranks", Type::count},
                   {"repeats", "runs", Type::count, repeats, 6},
                   {"complete", "complete", Type::text, any(sides.sides, [](const Side &side) { return !side.complete; })},
                   {"wall_ns", "wall", Type::ns},
                   {"wall_change", "change", Type::ratio},
                   {"mpi_share", "MPI", Type::ratio},
                   {"parallel_efficiency", "parallel\nefficiency", Type::ratio},
                   {"load_balance", "load\nbalance", Type::ratio, true, 2},
                   {"communication_efficiency", "communication", Type::ratio, true, 2},
                   {"serialisation", "serialisation", Type::ratio, timeline, 3},
                   {"transfer", "transfer", Type::ratio, timeline, 3},
                   {"calls", "calls", Type::count, true, 4},
                   {"bytes_sent", "bytes\nsent", Type::bytes, true, 5}};
  for (const Side &side : sides.sides) {
    const double base = sides.sides.front().wall_ns;
    const bool is_base = &side == &sides.sides.front();
    table.rows.push_back({text(side.file), text(side.label), number(side.ranks), number(static_cast<std::int64_t>(std::max<std::size_t>(side.repeats, 1))),
                          text(side.complete ? "yes" : "no"), ns(side.wall_ns), is_base || base <= 0 ? Cell{} : change(side.wall_ns / base - 1),
                          ratio(side.mpi_share), ratio(side.parallel), ratio(side.load_balance), ratio(side.communication), ratio(side.serialisation),
                          ratio(side.transfer), count(side.calls), count(side.bytes_sent)});
  }
  return table;
}

Table scaling_table(const SideBySide &sides, compare::Scaling scaling) {
  const bool strong = scaling == compare::Scaling::strong;
  Table table{"scaling", strong ? "Strong scaling" : "Weak scaling", "", {}, {}, 0};
  table.note = strong ? "The same problem on more ranks. Speed-up: wall time of the base / wall time. Efficiency: speed-up / times the ranks. "
                        "Computation: time outside MPI of the base / that of the profile, all ranks together."
                      : "A problem that grows with the ranks. Efficiency: wall time of the base / wall time. Speed-up: that times the ranks. "
                        "Computation: time outside MPI of a rank of the base / of a rank of the profile.";
  table.note += " Global: parallel efficiency x computation.";
  table.columns = {{"file", "profile"}, {"ranks", "ranks", Type::count}, {"wall_ns", "wall", Type::ns}, {"speedup", "speed-up", Type::ratio},
                   {"efficiency", "efficiency", Type::ratio}, {"global_efficiency", "global", Type::ratio}, {"parallel_efficiency", "parallel", Type::ratio},
                   {"load_balance", "load\nbalance", Type::ratio, true, 2}, {"communication_efficiency", "communication", Type::ratio, true, 2},
                   {"computation", "computation", Type::ratio, true, 1}};
  for (const ScalingRow &row : compare::scaling_rows(sides, scaling)) {
    const Side &side = sides.sides[row.side];
    table.rows.push_back({text(name_of(side)), number(side.ranks), ns(side.wall_ns), factor(row.speedup), ratio(row.efficiency), ratio(row.global),
                          ratio(side.parallel), ratio(side.load_balance), ratio(side.communication), ratio(row.computation)});
  }
  return table;
}

/// Rows of all profiles but the base, each profile's largest changes first.
Table change_table(const SideBySide &sides, bool calls, std::size_t top) {
  const auto &lists = calls ? sides.calls : sides.regions;
  const bool several = lists.size() > 1;
  Table table{calls ? "calls" : "regions", calls ? "MPI calls that changed most" : "Regions that changed most", "", {}, {}, 0};
  table.note = calls ? "Time: mean over the ranks." : "Time: a region's own, without regions in it; mean over the ranks.";
  const bool noisy = any(lists, [](const auto &list) { return any(list, [](const Change &row) { return row.noise != Noise::unknown; }); });
  if (noisy) table.note += " Noise: whether runs of one profile differ as much (Mann-Whitney, 5 % a row).";
  table.columns = {{"profile", "profile", Type::text, several},
                   {calls ? "call" : "region", calls ? "call" : "region"},
                   {"base_ns", "base", Type::ns},
                   {"ns", "now", Type::ns},
                   {"change_ns", "change", Type::ns},
                   {"change", "in %", Type::ratio},
                   {"noise", "noise", Type::text, noisy},
                   {"base_calls", "calls\nof base", Type::count, true, 2},
                   {"calls", "calls\nnow", Type::count, true, 1},
                   {"base_bytes", "bytes\nof base", Type::bytes, calls, 4},
                   {"bytes", "bytes\nnow", Type::bytes, calls, 3}};
  for (std::size_t i = 0; i < lists.size(); ++i) {
    std::size_t shown = 0;
    for (const Change &row : lists[i]) {
      if (top > 0 && shown++ >= top) {
        ++table.more;
        continue;
      }
      table.rows.push_back({text(name_of(sides.sides[i + 1])), text(row.name), ns(row.base_ns), ns(row.ns), signed_ns(row.change_ns), change(row.change),
                            row.noise == Noise::unknown ? Cell{} : text(noise_word(row.noise)), number(row.base_calls), number(row.calls),
                            number(row.base_bytes), number(row.bytes)});
    }
  }
  return table;
}

std::string headline_of(const SideBySide &sides) {
  const Side &base = sides.sides.front();
  std::string line = std::to_string(sides.sides.size() - 1) + (sides.sides.size() == 2 ? " profile" : " profiles") + " against " + name_of(base);
  if (sides.sides.size() != 2 || base.wall_ns <= 0) return line;
  const double faster = sides.sides[1].wall_ns / base.wall_ns - 1;
  char percent[64];
  std::snprintf(percent, sizeof percent, "%.1f %% %s", std::abs(faster) * 100, faster > 0 ? "longer" : "shorter");
  return name_of(sides.sides[1]) + " against " + name_of(base) + ": wall time " + percent;
}

Remarks remarks_of(const SideBySide &sides) {
  Remarks remarks{"warnings", "Warnings", {}, true};
  for (const Side &side : sides.sides)
    if (!side.complete) remarks.items.push_back({"incomplete", side.file + " is incomplete: what some rank recorded is missing."});
  for (const Side &side : sides.sides) {
    if (side.ranks == sides.sides.front().ranks) continue;
    remarks.items.push_back({"ranks-differ", "The numbers of ranks differ: times are means over the ranks, counts and bytes are of all of them."});
    break;
  }
  return remarks;
}

}  // namespace

Document comparison_document(const SideBySide &sides, const ComparisonOptions &options) {
  const bool people = options.format != "json" && options.format != "csv";
  const std::size_t top = options.top >= 0 ? static_cast<std::size_t>(options.top) : people ? 15 : 0;
  Document document;
  document.headline = headline_of(sides);
  document.facts = {{"base", sides.sides.front().file}};
  if (options.format == "csv") {
    document.tables.push_back(options.scaling ? scaling_table(sides, *options.scaling) : change_table(sides, true, top));
    return document;
  }
  document.tables.push_back(profiles_table(sides));
  if (options.scaling) document.tables.push_back(scaling_table(sides, *options.scaling));
  if (sides.sides.size() > 1) {
    document.tables.push_back(change_table(sides, true, top));
    document.tables.push_back(change_table(sides, false, top));
  }
  document.remarks.push_back(remarks_of(sides));
  return document;
}

std::string comparison(const SideBySide &sides, const ComparisonOptions &options) {
  if (options.format == "html") return comparison_page(sides, options);
  return document(comparison_document(sides, options), options.format, options.style);
}

}  // namespace scope::render
