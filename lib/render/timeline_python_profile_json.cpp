#include <algorithm>
#include <map>
#include <optional>
#include <unordered_map>

#include "render/python_profile_json_parts.hpp"
#include "render/timeline_names.hpp"
#include "render/timeline_python_profile.hpp"

namespace scope::render {
namespace {

using nlohmann::ordered_json;
using timeline::Event;
using timeline::Kind;
using timeline::none;

/// Events whose instants are gathered at once, 18 bytes each.
constexpr std::size_t most_gathered = std::size_t{1} << 21;

std::string text_of(const ordered_json &json) { return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace); }

/// The row's begin, up to the comma before its columns.
std::string head_of(const ordered_json &row) {
  std::string text = text_of(row);
  text.back() = ',';
  return text;
}

model::RegionName name_of(const timeline::Signature &what) {
  const wire::CallInfo &call = wire::info(what.call);
  const bool waits = what.request_call < wire::Call::none;
  return {model::operation_of(call.name), wire::kind_name(call.kind), what.bytes, std::max(what.peer, -1), std::max(what.root, -1),
          std::max(what.tag, -1), what.comm, waits ? model::operation_of(wire::info(what.request_call).name) : ""};
}

/// The rows of one rank.
class Rows {
 public:
  struct Row {
    std::string head;
    std::size_t events = 0;
  };

  Rows(const model::Profile &profile, const timeline::Reader &reader, std::size_t rank)
      : profile_(profile), reader_(reader), rank_(rank) {}

  /// Place of the event's row; none.
  std::uint32_t of(const Event &event) {
    const bool region = event.kind == Kind::region;
    if (!region && event.kind != Kind::call) return none;
    const auto [at, is_new] = known_[region].try_emplace(event.what, none);
    if (is_new)
      at->second =
          region ? add_region(region_name(reader_.header().regions[event.what])) : add_call(reader_.signatures()[event.what]);
    return at->second;
  }
  void count(const Event &event) {
    const std::uint32_t row = of(event);
    if (row != none) ++rows_[row].events;
  }
  const std::vector<Row> &all() const { return rows_; }

 private:
  std::uint32_t add(const std::string &name, const ordered_json &head) {
    const auto [at, is_new] = by_name_.try_emplace(name, static_cast<std::uint32_t>(rows_.size()));
    if (is_new) rows_.push_back({head_of(head)});
    return at->second;
  }

  std::uint32_t add_call(const timeline::Signature &what) {
    if (what.call == wire::Call::none)
      return add("MPI call", {{"name", call_name(what.call)}, {"rank", rank_}, {"tags", ordered_json::array()}});
    const model::RegionName name = name_of(what);
    const std::string text = model::format_region_name(name);
    return add(text, {{"name", text}, {"rank", rank_}, {"tags", mpi_tags(name)}});
  }

  /// Wrapped calls are regions, too; where the shim saw them, they are calls already.
  std::uint32_t add_region(const std::string &name) {
    const auto mpi = model::parse_region_name(name);
    if (mpi && !profile_.signatures.empty()) return none;
    ordered_json head = {{"name", name}, {"rank", rank_}};
    for (const model::RegionRow &region : profile_.regions) {
      if (region.name != name) continue;
      if (!region.source_file.empty()) head["source_file"] = region.source_file;
      if (region.source_line > 0) head["source_lineno"] = region.source_line;
      break;
    }
    head["tags"] = mpi ? mpi_tags(*mpi) : ordered_json::array();
    return add(name, head);
  }

  const model::Profile &profile_;
  const timeline::Reader &reader_;
  std::size_t rank_;
  std::vector<Row> rows_;
  std::map<std::string, std::uint32_t> by_name_;
  std::unordered_map<std::uint32_t, std::uint32_t> known_[2];  ///< from Event::what, of calls and of regions
};

class PythonProfile {
 public:
  PythonProfile(const model::Profile &profile, timeline::Reader &reader, const Sink &sink)
      : profile_(profile), reader_(reader), out_(sink) {
    const auto &ranks = reader.header().ranks;
    for (std::uint32_t i = 0; i < ranks.size(); ++i) places_[{ranks[i].world, ranks[i].rank}] = i;
    for (const auto &row : analyze::rank_rows(profile)) {
      has_program_ = has_program_ || row.name == "program";
      has_regions_ = has_regions_ || !row.mpi;
      aggregates_.emplace(row.rank, row);
    }
  }

  void write() {
    out_ << head_of(python_head(profile_, true)) << "\"regions\":[";
    for (std::size_t rank = 0; rank < profile_.ranks.size(); ++rank) {
      const auto place = places_.find({profile_.ranks[rank].world, profile_.ranks[rank].rank});
      if (place == places_.end() || !write_events(rank, place->second)) write_aggregates(rank);
    }
    out_ << "\n]}\n";
    out_.flush();
  }

 private:
  struct Gathered {
    std::vector<std::int64_t> begin, end;
    std::vector<std::uint16_t> thread;
    void resize(std::size_t size) {
      begin.resize(size);
      end.resize(size);
      thread.resize(size);
    }
  };

  TextOut &next_row() {
    out_ << (first_ ? "\n" : ",\n");
    first_ = false;
    return out_;
  }

  void write_aggregates(std::size_t rank) {
    if (!has_program_) next_row() << text_of(program_row(profile_.ranks[rank], rank, has_regions_));
    const auto [begin, end] = aggregates_.equal_range(rank);
    for (auto row = begin; row != end; ++row) next_row() << text_of(row_of(row->second));
  }

  /// False, with nothing written: the timeline of the rank is not complete.
  bool write_events(std::size_t rank, std::uint32_t place) {
    Rows rows(profile_, reader_, rank);
    bool several = false;
    std::optional<std::uint16_t> thread;
    reader_.read(place, [&](std::span<const Event> events) {
      for (const Event &event : events) {
        rows.count(event);
        if (!thread) thread = event.thread;
        several = several || event.thread != *thread;
      }
    });
    const timeline::RankInfo &info = reader_.header().ranks[place];  // damage is known by now
    if (!info.recorded || info.from > info.begin || info.to < info.end || info.dropped > 0) return false;
    if (!has_program_) {
      next_row() << head_of({{"name", "program"}, {"rank", rank}, {"tags", ordered_json::array()}}) << "\"start_times_ns\":["
                 << info.begin << "],\"end_times_ns\":[" << info.end << "]}";
    }
    for (std::size_t from = 0, to = 0; from < rows.all().size(); from = to) {
      std::size_t sum = rows.all()[to++].events;
      while (to < rows.all().size() && sum + rows.all()[to].events <= most_gathered) sum += rows.all()[to++].events;
      if (sum > most_gathered) write_long(place, rows, from, several);
      else write_gathered(place, rows, {from, to}, sum, several);
    }
    return true;
  }

  /// Some rows at once: their events are gathered row by row.
  void write_gathered(std::uint32_t place, Rows &rows, std::pair<std::size_t, std::size_t> range, std::size_t sum, bool several) {
    const std::size_t from = range.first, to = range.second;
    std::vector<std::size_t> next(to - from);
    for (std::size_t i = from; i + 1 < to; ++i) next[i + 1 - from] = next[i - from] + rows.all()[i].events;
    Gathered gathered;
    gathered.resize(sum);
    reader_.read(place, [&](std::span<const Event> events) {
      for (const Event &event : events) {
        const std::uint32_t row = rows.of(event);
        if (row < from || row >= to) continue;
        const std::size_t at = next[row - from]++;
        gathered.begin[at] = event.begin;
        gathered.end[at] = event.end;
        gathered.thread[at] = event.thread;
      }
    });
    std::size_t at = 0;
    for (std::size_t i = from; i < to; ++i) {
      const std::size_t count = rows.all()[i].events;
      next_row() << rows.all()[i].head;
      write_column("start_times_ns", gathered.begin, at, count);
      out_ << ",";
      write_column("end_times_ns", gathered.end, at, count);
      if (several) {
        out_ << ",";
        write_column("thread_ids", gathered.thread, at, count);
      }
      out_ << "}";
      at += count;
    }
  }

  template <class Number>
  void write_column(const char *key, const std::vector<Number> &values, std::size_t at, std::size_t count) {
    out_ << "\"" << key << "\":[";
    for (std::size_t i = 0; i < count; ++i) out_ << (i ? "," : "") << std::int64_t{values[at + i]};
    out_ << "]";
  }

  /// One row with too many events: they are read once for every column.
  void write_long(std::uint32_t place, Rows &rows, std::size_t row, bool several) {
    auto column = [&](const char *key, std::int64_t (*value)(const Event &)) {
      out_ << "\"" << key << "\":[";
      const char *separator = "";
      reader_.read(place, [&](std::span<const Event> events) {
        for (const Event &event : events) {
          if (rows.of(event) != row) continue;
          out_ << separator << value(event);
          separator = ",";
        }
      });
      out_ << "]";
    };
    next_row() << rows.all()[row].head;
    column("start_times_ns", [](const Event &event) { return event.begin; });
    out_ << ",";
    column("end_times_ns", [](const Event &event) { return event.end; });
    if (several) {
      out_ << ",";
      column("thread_ids", [](const Event &event) { return std::int64_t{event.thread}; });
    }
    out_ << "}";
  }

  const model::Profile &profile_;
  timeline::Reader &reader_;
  TextOut out_;
  std::map<std::pair<std::int32_t, std::int32_t>, std::uint32_t> places_;  ///< in the timeline, by world and rank
  std::multimap<std::size_t, analyze::RankRow> aggregates_;                ///< by rank
  bool has_program_ = false, has_regions_ = false, first_ = true;
};

}  // namespace

void timeline_python_profile(const model::Profile &profile, timeline::Reader &reader, const Sink &sink) {
  PythonProfile(profile, reader, sink).write();
}

}  // namespace scope::render
