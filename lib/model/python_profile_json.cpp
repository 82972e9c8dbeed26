#include "model/python_profile_json.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "model/call_table.hpp"
#include "model/limits.hpp"
#include "model/region_name.hpp"
#include "model/timeline_nesting.hpp"

namespace scope::model {
namespace {

/// Ranks that a file may claim, and pairs of region and rank: their figures take 64 bytes each.
constexpr std::int64_t most_ranks = std::int64_t{1} << 18;
constexpr std::size_t most_pairs = std::size_t{1} << 23;

/// A procedure's calls, gathered from the regions that carry its name.
struct Call {
  std::string kind;
  std::int64_t calls = 0, total_ns = 0, min_ns = 0, max_ns = 0, sent = 0, received = 0;
  std::vector<std::int64_t> durations_ns;
  bool timeline = true;
  double sum_sq = 0;
  PerRank per_rank;
};

/// What one row of the file says of one region on one rank.
struct Figures {
  std::int64_t calls = 0, total_ns = 0, min_ns = 0, max_ns = 0, self_ns = 0, mpi_ns = 0;
  double sum_sq = 0;
  std::optional<std::int64_t> first_ns, last_ns;
};

std::string procedure_of(const std::string &operation) {
  if (const wire::CallInfo *call = find_operation(operation)) return call->name;
  std::string name = "MPI_" + operation;
  if (name[4] >= 'a' && name[4] <= 'z') name[4] = static_cast<char>(name[4] - 'a' + 'A');
  return name;
}

/// Bytes of one call, by the rules of our own counts: a send when it begins, a receive when it ends.
struct Traffic {
  std::int64_t sent = 0, received = 0;
};
Traffic traffic_of(const RegionName &name, int rank) {
  const std::int64_t bytes = std::clamp<std::int64_t>(name.bytes, 0, largest_count);
  const std::string &operation = name.operation;
  if (!name.request.empty()) return {0, name.request == "irecv" ? bytes : 0};
  if (operation == "irecv") return {};
  if (operation == "recv") return {0, bytes};
  if (operation == "allreduce") return {bytes, bytes};
  if (operation == "bcast") return rank == name.root ? Traffic{bytes, 0} : Traffic{0, bytes};
  if (operation == "reduce") return {bytes, rank == name.root ? bytes : 0};
  return {bytes, 0};
}

std::int64_t times(std::int64_t count, std::int64_t bytes) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(count, bytes, &product) ? std::numeric_limits<std::int64_t>::max() : product;
}

void resize(PerRank &per_rank, std::size_t ranks) {
  for (auto *column : {&per_rank.calls, &per_rank.total_ns, &per_rank.bytes_sent, &per_rank.bytes_received}) column->resize(ranks);
}

class Reader {
 public:
  explicit Reader(const JsonView &root) : root_(root) {}

  Profile read() {
    read_head();
    JsonView rows = root_.at("regions");
    for (const JsonView row : rows.elements()) read_row(row);
    add_nesting();
    add_calls();
    add_totals();
    if (!timeline_)
      profile_.warnings.push_back({"no-timeline",
                                   "The Python package recorded this run without a timeline: MPI time inside regions and "
                                   "percentiles of calls are not known and shown as 0."});
    return std::move(profile_);
  }

 private:
  /// Text, number, truth or list, as text.
  static std::string metadata_text(const JsonView &value) {
    if (!value.is_array()) return value.scalar_text();
    std::string text;
    for (const JsonView item : value.elements()) text += (text.empty() ? "" : ", ") + item.scalar_text();
    return text;
  }

  void read_head() {
    profile_.metadata.exporter = root_.at("exporter").text();
    profile_.metadata.launcher = "none";
    if (auto metadata = root_.find("metadata"))
      for (const auto &[key, value] : metadata->members()) profile_.metadata.tags[key] = metadata_text(value);
    ranks_ = static_cast<std::size_t>(root_.at("num_ranks").integer(0, most_ranks));
    if (ranks_ == 0) return;
    World world;
    world.size = world.ranks_reported = static_cast<int>(ranks_);
    profile_.worlds = {world};
    profile_.ranks.resize(ranks_);
    for (std::size_t i = 0; i < ranks_; ++i) {
      profile_.ranks[i].rank = static_cast<int>(i);
      profile_.ranks[i].status = "finalized";
    }
    first_ns_.resize(ranks_, std::numeric_limits<std::int64_t>::max());
    last_ns_.resize(ranks_, -1);
    spans_.resize(ranks_);
  }

  std::size_t region_index(const JsonView &row) {
    std::string name = row.at("name").text();
    auto [at, is_new] = index_.try_emplace(name, profile_.regions.size());
    if (!is_new) return at->second;
    if ((index_.size() + 1) * ranks_ > most_pairs)
      row.fail("is of region " + std::to_string(index_.size()) + " on " + std::to_string(ranks_) +
               " ranks, more than " + std::to_string(most_pairs) + " pairs of region and rank can't be read");
    RegionRow region;
    region.name = region.path = name;
    resize(region.per_rank, ranks_);
    if (auto file = row.find("source_file")) region.source_file = file->text();
    if (auto line = row.find("source_lineno")) region.source_line = line->small(0);
    profile_.regions.push_back(std::move(region));
    names_.push_back(parse_region_name(name));
    return at->second;
  }

  void read_row(const JsonView &row) {
    if (ranks_ == 0) row.fail("is of a rank, but num_ranks is 0");
    auto rank = static_cast<std::size_t>(row.at("rank").integer(0, static_cast<std::int64_t>(ranks_) - 1));
    std::size_t region = region_index(row);
    auto aggregate = row.find("aggregate");
    Call *call = names_[region] ? &call_of(*names_[region]) : nullptr;
    Figures figures = aggregate ? read_aggregate(*aggregate, call) : read_events(row, region, rank, call);
    if (aggregate && names_[region]) {
      figures.mpi_ns = figures.total_ns;
      add_to(profile_.ranks[rank].mpi_ns, figures.total_ns);
    }
    add_figures(profile_.regions[region], rank, figures);
    if (call) add_call(*call, *names_[region], rank, figures);
    if (figures.first_ns) first_ns_[rank] = std::min(first_ns_[rank], *figures.first_ns);
    if (figures.last_ns) last_ns_[rank] = std::max(last_ns_[rank], *figures.last_ns);
  }

  Call &call_of(const RegionName &name) {
    auto [at, is_new] = calls_.try_emplace(procedure_of(name.operation));  // no more of them than regions
    if (is_new) {
      const wire::CallInfo *known = find_operation(name.operation);
      at->second.kind = known ? kind_of(known) : name.kind;
      resize(at->second.per_rank, ranks_);
    }
    return at->second;
  }

  Figures read_aggregate(const JsonView &view, Call *call) {
    timeline_ = false;
    if (call) call->timeline = false;
    Figures figures;
    figures.calls = view.at("count").count();
    figures.total_ns = view.at("total").count();
    auto optional = [&view](const char *key, std::int64_t otherwise) {
      auto found = view.find(key);
      return found ? found->count() : otherwise;
    };
    figures.self_ns = optional("exclusive", figures.total_ns);
    figures.min_ns = optional("minimum", 0);
    figures.max_ns = optional("maximum", 0);
    if (figures.min_ns > figures.max_ns) view.fail("has a minimum above its maximum");
    if (auto first = view.find("start_minimum")) figures.first_ns = first->count();
    if (auto last = view.find("end_maximum")) figures.last_ns = last->count();
    return figures;
  }

  Figures read_events(const JsonView &row, std::size_t region, std::size_t rank, Call *call) {
    Figures figures;
    JsonView starts = row.at("start_times_ns"), ends = row.at("end_times_ns");
    const std::size_t count = starts.size();
    auto same_length = [&](const JsonView &column) {
      if (column.size() != count)
        column.fail("has " + std::to_string(column.size()) + " elements, start_times_ns has " + std::to_string(count));
    };
    same_length(ends);
    auto threads = row.find("thread_ids"), tasks = row.find("task_ids");
    if (threads) same_length(*threads);
    if (tasks) same_length(*tasks);
    constexpr auto any = std::numeric_limits<std::int64_t>::max();
    auto counts = [](const JsonView &column) {
      std::vector<std::int64_t> values;
      for (const JsonView item : column.elements()) values.push_back(item.count());
      return values;
    };
    auto ids = [](const std::optional<JsonView> &column) {
      std::vector<std::int64_t> values;
      if (column)
        for (const JsonView item : column->elements()) values.push_back(item.integer(-any, any));
      return values;
    };
    const std::vector<std::int64_t> begins = counts(starts), last = counts(ends), thread_ids = ids(threads), task_ids = ids(tasks);
    for (std::size_t i = 0; i < count; ++i) {
      const Span span{begins[i], last[i], thread_ids.empty() ? 0 : thread_ids[i], task_ids.empty() ? 0 : task_ids[i], region};
      if (span.end < span.begin) ends.at(i).fail("is before its start");
      const std::int64_t duration = span.end - span.begin;
      figures.min_ns = i ? std::min(figures.min_ns, duration) : duration;
      figures.max_ns = std::max(figures.max_ns, duration);
      add_to(figures.total_ns, duration);
      figures.sum_sq += static_cast<double>(duration) * static_cast<double>(duration);
      figures.first_ns = std::min(figures.first_ns.value_or(span.begin), span.begin);
      figures.last_ns = std::max(figures.last_ns.value_or(span.end), span.end);
      if (call) call->durations_ns.push_back(duration);
      spans_[rank].push_back(span);
    }
    figures.calls = static_cast<std::int64_t>(count);
    if (auto self = row.find("exclusive_total_ns")) {
      figures.self_ns = self->count();
      self_given_.insert({rank, region});
    }
    return figures;
  }

  static void add_figures(RegionRow &region, std::size_t rank, const Figures &figures) {
    if (figures.calls > 0) {
      region.min_ns = region.calls > 0 ? std::min(region.min_ns, figures.min_ns) : figures.min_ns;
      region.max_ns = std::max(region.max_ns, figures.max_ns);
    }
    add_to(region.calls, figures.calls);
    add_to(region.total_ns, figures.total_ns);
    add_to(region.self_ns, figures.self_ns);
    add_to(region.mpi_ns, figures.mpi_ns);
    add_to(region.per_rank.calls[rank], figures.calls);
    add_to(region.per_rank.total_ns[rank], figures.total_ns);
  }

  static void add_call(Call &call, const RegionName &name, std::size_t rank, const Figures &figures) {
    if (figures.calls == 0) return;
    call.min_ns = call.calls > 0 ? std::min(call.min_ns, figures.min_ns) : figures.min_ns;
    call.max_ns = std::max(call.max_ns, figures.max_ns);
    call.sum_sq += figures.sum_sq;
    const Traffic one = traffic_of(name, static_cast<int>(rank));
    const std::int64_t sent = times(figures.calls, one.sent), received = times(figures.calls, one.received);
    add_to(call.calls, figures.calls);
    add_to(call.total_ns, figures.total_ns);
    add_to(call.sent, sent);
    add_to(call.received, received);
    add_to(call.per_rank.calls[rank], figures.calls);
    add_to(call.per_rank.total_ns[rank], figures.total_ns);
    add_to(call.per_rank.bytes_sent[rank], sent);
    add_to(call.per_rank.bytes_received[rank], received);
  }

  /// Self time, MPI time inside regions and MPI time of ranks, rank by rank.
  void add_nesting() {
    std::vector<bool> mpi(names_.size());
    for (std::size_t i = 0; i < names_.size(); ++i) mpi[i] = names_[i].has_value();
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      const Nesting nesting = nest(std::move(spans_[rank]), mpi);
      for (const auto &[index, times] : nesting.regions) {
        RegionRow &region = profile_.regions[index];
        if (!self_given_.contains({rank, index})) add_to(region.self_ns, times.self_ns);
        add_to(region.mpi_ns, times.marked_ns);
      }
      add_to(profile_.ranks[rank].mpi_ns, nesting.marked_union_ns);
    }
  }

  static void set_percentiles(Call &call, CallRow &row) {
    if (!call.timeline || call.durations_ns.empty()) return;
    std::sort(call.durations_ns.begin(), call.durations_ns.end());
    auto percentile = [&call](double share) {
      auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(call.durations_ns.size())));
      return call.durations_ns[std::max<std::size_t>(rank, 1) - 1];
    };
    row.p50_ns = percentile(0.5);
    row.p95_ns = percentile(0.95);
    row.p99_ns = percentile(0.99);
    const double count = static_cast<double>(row.calls);
    row.std_ns = std::sqrt(std::max(0.0, call.sum_sq / count - row.mean_ns * row.mean_ns));
  }

  void add_calls() {
    for (auto &[name, call] : calls_) {
      if (call.calls == 0) continue;
      CallRow row;
      row.name = name;
      row.kind = call.kind;
      row.calls = call.calls;
      row.total_ns = call.total_ns;
      row.min_ns = call.min_ns;
      row.max_ns = call.max_ns;
      row.mean_ns = static_cast<double>(call.total_ns) / static_cast<double>(call.calls);
      row.bytes_sent = call.sent;
      row.bytes_received = call.received;
      set_percentiles(call, row);
      row.per_rank = std::move(call.per_rank);
      profile_.calls.push_back(std::move(row));
    }
    std::stable_sort(profile_.calls.begin(), profile_.calls.end(),
                     [](const CallRow &a, const CallRow &b) { return a.total_ns > b.total_ns; });
  }

  void add_totals() {
    Totals &totals = profile_.totals;
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      Rank &row = profile_.ranks[rank];
      if (last_ns_[rank] > first_ns_[rank]) row.wall_ns = last_ns_[rank] - first_ns_[rank];
      for (const RegionRow &region : profile_.regions)
        if (last_ns_[rank] < 0) row.wall_ns = std::max(row.wall_ns, region.per_rank.total_ns[rank]);
      row.mpi_ns = std::min(row.mpi_ns, row.wall_ns);
      totals.wall_ns = std::max(totals.wall_ns, row.wall_ns);
      add_to(totals.wall_sum_ns, row.wall_ns);
      add_to(totals.mpi_ns, row.mpi_ns);
    }
    if (totals.wall_sum_ns > 0)
      totals.mpi_share = static_cast<double>(totals.mpi_ns) / static_cast<double>(totals.wall_sum_ns);
    for (const CallRow &call : profile_.calls) {
      add_to(totals.calls, call.calls);
      add_to(totals.bytes_sent, call.bytes_sent);
      add_to(totals.bytes_received, call.bytes_received);
    }
  }

  const JsonView &root_;
  Profile profile_;
  std::size_t ranks_ = 0;
  bool timeline_ = true;
  std::map<std::string, std::size_t> index_;            ///< of regions by name
  std::vector<std::optional<RegionName>> names_;        ///< of regions that are MPI calls
  std::map<std::string, Call> calls_;
  std::vector<std::int64_t> first_ns_, last_ns_;        ///< by rank
  std::vector<std::vector<Span>> spans_;                ///< by rank
  std::set<std::pair<std::size_t, std::size_t>> self_given_;  ///< rank and region whose self time the file says
};

}  // namespace

Profile parse_python_profile(const JsonView &root) { return Reader(root).read(); }

}  // namespace scope::model
