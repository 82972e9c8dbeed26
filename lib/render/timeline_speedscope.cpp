#include "render/timeline_speedscope.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "render/timeline_names.hpp"

namespace scope::render {
namespace {

using timeline::Event;
using timeline::Kind;

/// Names that profiles refer to by number: each once, however many paths and signatures have it.
class Frames {
 public:
  Frames(const timeline::Header &header, const std::vector<timeline::Signature> &signatures) {
    for (const std::string &path : header.regions) of_region_.push_back(add(true, region_name(path)));
    of_call_.resize(wire::call_count + 1);
    std::vector<bool> used(wire::call_count + 1);
    for (const timeline::Signature &what : signatures) used[place(what.call)] = true;
    for (std::size_t i = 0; i < used.size(); ++i)
      if (used[i]) of_call_[i] = add(false, std::string(call_name(static_cast<wire::Call>(i))));
  }
  std::uint32_t of_region(std::uint32_t region) const { return of_region_[region]; }
  std::uint32_t of_call(wire::Call call) const { return of_call_[place(call)]; }
  const std::vector<std::string> &names() const { return names_; }

 private:
  static std::size_t place(wire::Call call) { return std::min<std::size_t>(static_cast<std::size_t>(call), wire::call_count); }
  std::uint32_t add(bool region, const std::string &name) {
    const auto [at, is_new] = numbers_.try_emplace({region, name}, static_cast<std::uint32_t>(names_.size()));
    if (is_new) names_.push_back(name);
    return at->second;
  }

  std::map<std::pair<bool, std::string>, std::uint32_t> numbers_;  ///< a region may be called MPI_Send
  std::vector<std::string> names_;
  std::vector<std::uint32_t> of_region_, of_call_;
};

/// The events of one thread: opened and closed as a stack.
class Stack {
 public:
  explicit Stack(TextOut &out) : out_(out) {}

  void add(std::uint32_t frame, std::int64_t begin, std::int64_t end) {
    while (!open_.empty() && open_.back().end <= begin) close();
    if (!open_.empty()) end = std::min(end, open_.back().end);
    write('O', frame, begin);
    open_.push_back({frame, end});
  }
  /// Returns when the last one closed.
  std::int64_t close_all() {
    while (!open_.empty()) close();
    return last_;
  }

 private:
  struct Open {
    std::uint32_t frame = 0;
    std::int64_t end = 0;
  };
  void close() {
    write('C', open_.back().frame, open_.back().end);
    open_.pop_back();
  }
  void write(char type, std::uint32_t frame, std::int64_t at) {
    out_ << (first_ ? "\n" : ",\n") << "{\"type\":\"" << std::string_view(&type, 1) << "\",\"frame\":" << frame << ",\"at\":" << at
         << "}";
    first_ = false;
    last_ = at;
  }

  TextOut &out_;
  std::vector<Open> open_;
  bool first_ = true;
  std::int64_t last_ = 0;
};

class Speedscope {
 public:
  Speedscope(timeline::Reader &reader, const Sink &sink)
      : reader_(reader), frames_(reader.header(), reader.signatures()), out_(sink) {}

  void write() {
    out_ << "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"exporter\":\"scope-profiler@" SCOPE_VERSION
            "\",\"shared\":{\"frames\":[";
    const char *separator = "";
    for (const std::string &name : frames_.names()) {
      out_ << separator << "\n{\"name\":" << json_string(name) << "}";
      separator = ",";
    }
    out_ << "]},\"profiles\":[";
    for (std::uint32_t rank = 0; rank < reader_.header().ranks.size(); ++rank) write_rank(rank);
    out_ << "]}\n";
    out_.flush();
  }

 private:
  template <class Function>
  void each(std::uint32_t rank, Function use) {
    reader_.read(rank, [&](std::span<const Event> events) {
      for (const Event &event : events)
        if (event.kind == Kind::call || event.kind == Kind::region) use(event);
    });
  }

  void write_rank(std::uint32_t rank) {
    std::set<std::uint16_t> threads;
    std::int64_t first = reader_.header().ranks[rank].begin;
    each(rank, [&](const Event &event) {
      threads.insert(event.thread);
      first = std::min(first, event.begin);
    });
    for (const std::uint16_t thread : threads) write_thread(rank, thread, threads.size() > 1, first);
  }

  void write_thread(std::uint32_t rank, std::uint16_t thread, bool several, std::int64_t begin) {
    const timeline::RankInfo info = reader_.header().ranks[rank];
    std::string name = rank_name(reader_.header(), rank);
    if (several) name += " thread " + std::to_string(thread);
    if (!info.host.empty()) name += " (" + info.host + ")";
    out_ << (first_ ? "\n" : ",\n") << "{\"type\":\"evented\",\"name\":" << json_string(name)
         << ",\"unit\":\"nanoseconds\",\"events\":[";
    first_ = false;
    Stack stack(out_);
    each(rank, [&](const Event &event) {
      if (event.thread != thread) return;
      const bool region = event.kind == Kind::region;
      stack.add(region ? frames_.of_region(event.what) : frames_.of_call(reader_.signatures()[event.what].call), event.begin,
                event.end);
    });
    const std::int64_t end = std::max(info.end, stack.close_all());
    out_ << "],\"startValue\":" << begin << ",\"endValue\":" << end << "}";
  }

  timeline::Reader &reader_;
  Frames frames_;
  TextOut out_;
  bool first_ = true;
};

}  // namespace

void timeline_speedscope(timeline::Reader &reader, const Sink &sink) { Speedscope(reader, sink).write(); }

}  // namespace scope::render
