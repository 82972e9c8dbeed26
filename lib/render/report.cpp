#include "render/report.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <set>

#include "render/escape.hpp"
#include "render/report_parts.hpp"
#include "render/tables.hpp"
#include "render/timeline_tables.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace scope::render {
namespace {

/// A table of the report. `overview_rows` bounds it where neither --by nor --top is given.
struct View {
  const char *name;
  Table (*make)(const model::Profile &, const analyze::Filter &);
  std::size_t overview_rows;
  bool ranks_apply, calls_apply;  ///< filters that have a meaning
};

constexpr std::array<View, 12> views{{{"call", call_table, 20, true, true},
                                     {"spread", spread_table, 12, false, true},
                                     {"rank", rank_table, 16, true, true},
                                     {"heat", heat_table, 16, true, true},
                                     {"peer", peer_table, 10, true, false},
                                     {"comm", communicator_table, 10, false, true},
                                     {"size", size_table, 10, false, true},
                                     {"callsite", callsite_table, 10, false, true},
                                     {"region", region_table, 10, true, false},
                                     {"wait", wait_table, 10, true, true},
                                     {"delay", delay_table, 8, true, false},
                                     {"path", path_table, 8, true, false}}};
constexpr std::size_t html_rows = 2000;  ///< of a table in a page without --top: more is no longer quick to sort
constexpr std::size_t most_rows = 200'000;  ///< of a table without --top: pairs of ranks can be millions, at a kilobyte each
constexpr std::array formats{"text", "markdown", "csv", "json", "html"};

std::string quoted(const std::string &data) { return "\"" + plain(data) + "\""; }

template <class Words>
std::string list(const Words &words) {
  std::string text;
  for (const auto &word : words) (text += text.empty() ? "" : ", ") += word;
  return text;
}

/// "; did you mean "total"?", or the end of the sentence.
std::string suggestion(const std::string &word, const std::vector<std::string> &candidates) {
  const std::string near = support::nearest(word, candidates);
  return near.empty() ? "." : "; did you mean " + quoted(near) + "?";
}

void check_format(const std::string &format) {
  if (std::find(formats.begin(), formats.end(), format) == formats.end())
    throw support::Error("--format " + plain(format) + ": no such format. Formats: " + list(formats));
}

const View &view_of(const std::string &name) {
  std::vector<std::string> names;
  for (const View &view : views) {
    if (name == view.name) return view;
    names.emplace_back(view.name);
  }
  throw support::Error("--by " + plain(name) + ": no such table" + suggestion(name, names) + " Tables: " + list(names));
}

/// Tables that need a value for each rank, and when.
bool needs_each_rank(const View &view, const analyze::Filter &filter, const analyze::Denominators &whole) {
  const std::string_view name = view.name;
  return name == "heat" || (name == "rank" && filter.some_calls()) ||
         ((name == "call" || name == "region") && whole.ranks != whole.all_ranks);
}

/// Why a filter can't be applied to a table; "" if it can.
std::string obstacle(const View &view, const model::Profile &profile, const analyze::Filter &filter, const analyze::Denominators &whole) {
  if (!model::keeps_each_rank(profile) && needs_each_rank(view, filter, whole))
    return "the profile keeps how times spread over its " + support::format_count(static_cast<std::int64_t>(whole.all_ranks)) +
           " ranks (--by spread), not each rank's; `scope-profiler merge --per-rank all` of the ranks' files (run --keep-dumps) keeps them";
  if (!view.ranks_apply && whole.ranks != whole.all_ranks) return "--ranks does not apply, it is kept for all ranks together";
  if (!view.calls_apply && filter.some_calls())
    return "--include and --exclude do not apply, it does not tell procedures apart";
  return "";
}

std::vector<std::string> all_columns(const std::vector<Table> &tables) {
  std::vector<std::string> keys;
  for (const Table &table : tables)
    for (const Column &column : table.columns)
      if (std::find(keys.begin(), keys.end(), column.key) == keys.end()) keys.push_back(column.key);
  return keys;
}

void check_column(const std::string &option, const std::string &word, const std::vector<Table> &tables) {
  for (const Table &table : tables)
    if (find_column(table, word) < table.columns.size()) return;
  const std::vector<std::string> keys = all_columns(tables);
  std::vector<std::string> candidates = keys;
  for (const std::string &key : keys)
    if (key.ends_with("_ns")) candidates.push_back(key.substr(0, key.size() - 3));
  throw support::Error(option + " " + plain(word) + ": no such column" + suggestion(word, candidates) +
                       " Columns: " + list(keys));
}

/// Rows of a table at most.
std::size_t row_limit(const ReportOptions &options, std::size_t overview_rows) {
  const bool overview = options.by.empty();
  const bool all = options.top < 0 && options.format != "html" && (!overview || options.format == "json" || options.format == "csv");
  if (options.top == 0) return std::numeric_limits<std::size_t>::max();
  if (all) return most_rows;
  return options.top > 0 ? static_cast<std::size_t>(options.top) : options.format == "html" ? html_rows : overview_rows;
}

/// The overview shows the ranks with the most MPI time where it can't show all.
void bound_rows(Table &table, const ReportOptions &options, std::size_t overview_rows) {
  const bool overview = options.by.empty();
  const std::size_t limit = row_limit(options, overview_rows);
  if (overview && (table.name == "rank" || table.name == "heat") && options.sort.empty() && table.rows.size() > limit) {
    sort_rows(table, find_column(table, table.name == "rank" ? "mpi_ns" : "share_of_wall"));
    table.note += " Shown: those with the most MPI time.";
  }
  keep_rows(table, limit);
}

void arrange(Table &table, const ReportOptions &options, std::size_t overview_rows) {
  if (const std::size_t column = find_column(table, options.sort); !options.sort.empty() && column < table.columns.size())
    sort_rows(table, column);
  bound_rows(table, options, overview_rows);
  std::vector<std::size_t> chosen;
  for (const std::string &word : options.columns)
    if (const std::size_t column = find_column(table, word); column < table.columns.size()) chosen.push_back(column);
  if (!chosen.empty()) choose_columns(table, chosen);
}

std::vector<std::string> filter_texts(const ReportOptions &options, const analyze::Denominators &whole) {
  std::vector<std::string> texts;
  if (!options.ranks.empty())
    texts.push_back("Ranks " + options.ranks + ": " + std::to_string(whole.ranks) + " of " + std::to_string(whole.all_ranks) +
                    "; all numbers are theirs.");
  if (!options.include.empty()) texts.push_back("Only procedures that match " + options.include);
  if (!options.exclude.empty()) texts.push_back("Without procedures that match " + options.exclude);
  return texts;
}

bool of_timeline(const View &view) {
  const std::string_view name = view.name;
  return name == "wait" || name == "delay" || name == "path";
}

/// What few profiles have is not shown as an empty table.
bool is_empty(const View &view, const model::Profile &profile) {
  const std::string_view name = view.name;
  if (of_timeline(view)) return !profile.timeline_results;
  if (name == "heat") return profile.ranks.size() < 2 || !model::keeps_each_rank(profile);  // one row says what the calls say
  if (name == "spread") return model::keeps_each_rank(profile);
  return (name == "region" && profile.regions.empty()) || (name == "callsite" && profile.callsites.empty());
}

/// The tables that the options ask for, and in the overview those that have something to show.
std::vector<const View *> choose_views(const ReportOptions &options, const analyze::Filter &filter, ReportParts &parts) {
  std::vector<const View *> chosen;
  for (const std::string &name : options.by) {
    const View &view = view_of(name);
    const std::string reason = obstacle(view, parts.profile, filter, parts.headline.denominators);
    if (!reason.empty())
      throw support::Error("--by " + name + ": " + reason);
    if (name == "region" && parts.profile.regions.empty())
      throw support::Error("--by region: the profile has no regions");
    if (name == "callsite" && parts.profile.callsites.empty())
      throw support::Error("--by callsite: the profile has no call sites; record them with `scope-profiler run --mpi-calls --callsites`");
    if (of_timeline(view) && !parts.profile.timeline_results)
      throw support::Error("--by " + name + ": the profile has no timeline; record one with `scope-profiler run --mpi-calls --trace`");
    if (std::find(chosen.begin(), chosen.end(), &view) == chosen.end()) chosen.push_back(&view);
  }
  if (!options.by.empty()) return chosen;
  for (const View &view : views) {
    const bool for_csv = options.format == "csv" && std::string_view(view.name) != "call";
    const bool for_people = options.format == "text" && options.style.charts;
    if (for_csv || is_empty(view, parts.profile) || (std::string_view(view.name) == "heat" && !for_people)) continue;
    const std::string reason = obstacle(view, parts.profile, filter, parts.headline.denominators);
    if (reason.empty()) chosen.push_back(&view);
    else parts.left_out.push_back({view.name, reason});
  }
  return chosen;
}

void check_options(const ReportOptions &options) {
  check_format(options.format);
  if (options.top < -1) throw support::Error("--top " + std::to_string(options.top) + ": must be 0 (all rows) or more");
  const std::set<std::string> tables(options.by.begin(), options.by.end());
  if (options.format == "csv" && tables.size() > 1)
    throw support::Error("--format csv holds one table, --by asks for " + std::to_string(tables.size()) + " (" +
                         plain(list(options.by)) + "); use --format json, or one --by");
}

}  // namespace

std::string report(const model::Profile &profile, const ReportOptions &options) {
  check_options(options);
  const analyze::Filter filter = analyze::make_filter(profile, options.ranks, options.include, options.exclude);
  ReportParts parts{profile, analyze::headline(profile, filter), {}, options.by.empty(), {}, {}, filter, {}, options.no_timeline};
  parts.filters = filter_texts(options, parts.headline.denominators);
  const std::vector<const View *> chosen = choose_views(options, filter, parts);
  for (const View *view : chosen) {
    const bool heaviest_peers = std::string_view(view->name) == "peer" && options.sort.empty();
    parts.tables.push_back(heaviest_peers ? peer_table_of(profile, filter, row_limit(options, view->overview_rows)) : view->make(profile, filter));
  }
  if (!options.sort.empty()) check_column("--sort", options.sort, parts.tables);
  for (const std::string &word : options.columns) check_column("--columns", word, parts.tables);
  for (std::size_t i = 0; i < chosen.size(); ++i) arrange(parts.tables[i], options, chosen[i]->overview_rows);
  if (options.format == "csv") return csv_table(parts.tables.front());
  if (options.format == "json") return json_report(parts);
  if (options.format == "markdown") return markdown_report(parts);
  if (options.format == "html") {
    try {
      if (parts.overview && options.timeline) parts.timeline = page_timeline(*options.timeline, profile, filter);
    } catch (const support::Error &error) {
      parts.no_timeline = std::string("The timeline can't be read: ") + error.what();
    }
    return html_report(parts);
  }
  return text_report(parts, options.style);
}

std::string format_of_file(const std::string &file) {
  constexpr std::array<std::array<const char *, 2>, 5> endings{
      {{".txt", "text"}, {".md", "markdown"}, {".csv", "csv"}, {".json", "json"}, {".html", "html"}}};
  for (const auto &[ending, format] : endings)
    if (file.ends_with(ending)) return format;
  return "";
}

}  // namespace scope::render
