#include "render/timeline_chrome_trace.hpp"

#include <algorithm>
#include <queue>

#include "analyze/message_flow.hpp"
#include "render/timeline_names.hpp"

namespace scope::render {
namespace {

using analyze::MessageNumber;
using timeline::Event;
using timeline::Kind;
using timeline::none;
using timeline::Signature;

/// Bytes that a rank has sent and that are not received yet, as time goes on.
class InFlight {
 public:
  struct Arrival {
    std::int64_t at = 0, bytes = 0;
    bool operator>(const Arrival &other) const { return at > other.at; }
  };

  std::int64_t bytes() const { return bytes_; }
  void send(std::int64_t now, std::int64_t received_at, std::int64_t bytes) {
    bytes_ += bytes;
    arrivals_.push({std::max(now, received_at), bytes});  // clocks may be off
  }
  /// What has arrived by `now`, in order: `changed` is told when the sum became what it is.
  template <class Function>
  void arrive(std::int64_t now, Function changed) {
    while (!arrivals_.empty() && arrivals_.top().at <= now) {
      const std::int64_t at = arrivals_.top().at;
      for (; !arrivals_.empty() && arrivals_.top().at == at; arrivals_.pop()) bytes_ -= arrivals_.top().bytes;
      changed(at);
    }
  }

 private:
  std::priority_queue<Arrival, std::vector<Arrival>, std::greater<>> arrivals_;
  std::int64_t bytes_ = 0;
};

class ChromeTrace {
 public:
  ChromeTrace(timeline::Reader &reader, const Sink &sink) : reader_(reader), flow_(reader), out_(sink) {
    for (int i = 0; i <= wire::call_count; ++i) calls_.push_back(json_string(call_name(static_cast<wire::Call>(i))));
    for (const std::string &path : reader.header().regions) regions_.push_back(json_string(region_name(path)));
  }

  void write() {
    const timeline::Header &header = reader_.header();
    out_ << "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"exporter\":\"scope-profiler@" SCOPE_VERSION "\",\"run_id\":"
         << json_string(header.run_id) << ",\"start_unix_ns\":" << header.start_unix_ns << "},\"traceEvents\":[";
    for (std::uint32_t rank = 0; rank < header.ranks.size(); ++rank) write_rank(rank);
    out_ << "\n]}\n";
    out_.flush();
  }

 private:
  /// Up to the comma behind pid and tid.
  void begin_event(const char *phase, std::string_view name, std::uint32_t thread) {
    out_ << (first_ ? "\n" : ",\n") << "{\"ph\":\"" << phase << "\",\"name\":" << name << ",\"pid\":" << rank_ + 1
         << ",\"tid\":" << thread + 1 << ",";
    first_ = false;
  }

  void write_rank(std::uint32_t rank) {
    rank_ = rank;
    const timeline::RankInfo info = reader_.header().ranks[rank];
    begin_event("M", "\"process_name\"", 0);
    const std::string host = info.host.empty() ? "" : " (" + info.host + ")";
    out_ << "\"args\":{\"name\":" << json_string(rank_name(reader_.header(), rank) + host) << "}}";
    begin_event("M", "\"process_sort_index\"", 0);
    out_ << "\"args\":{\"sort_index\":" << rank << "}}";
    analyze::RankFlow messages(flow_, rank);
    std::vector<bool> named(std::size_t{1} << 16);
    InFlight in_flight;
    reader_.read(rank, [&](std::span<const Event> events) {
      for (const Event &event : events) {
        if (!named[event.thread]) write_thread(event.thread);
        named[event.thread] = true;
        in_flight.arrive(event.begin, [&](std::int64_t at) { write_counter(at, in_flight.bytes()); });
        write_event(event, messages.next(event), in_flight);
      }
    });
    in_flight.arrive(std::numeric_limits<std::int64_t>::max(), [&](std::int64_t at) { write_counter(at, in_flight.bytes()); });
    if (info.recorded && info.to < info.end) write_end(info);
  }

  void write_thread(std::uint16_t thread) {
    begin_event("M", "\"thread_name\"", thread);
    out_ << "\"args\":{\"name\":\"thread " << std::uint32_t{thread} << "\"}}";
  }

  void write_event(const Event &event, const analyze::RankFlow::Messages &messages, InFlight &in_flight) {
    const bool region = event.kind == Kind::region;
    if (region || event.kind == Kind::call) {
      const std::string &name = region ? regions_[event.what] : calls_[static_cast<std::size_t>(signature(event).call)];
      begin_event("X", name, event.thread);
      out_ << "\"cat\":\"" << (region ? "region" : "mpi") << "\",\"ts\":" << Microseconds{event.begin}
           << ",\"dur\":" << Microseconds{event.end - event.begin};
      if (!region) write_arguments(signature(event));
      out_ << "}";
    }
    if (messages.sent != none) {
      write_flow("s", event.thread, messages.sent, event.begin);
      const std::int64_t bytes = signature(event).bytes;
      if (bytes > 0) {
        in_flight.send(event.begin, flow_.received_at(messages.sent), bytes);
        write_counter(event.begin, in_flight.bytes());
      }
    }
    // Within the call, which a flow event belongs to: at its end it is over.
    if (messages.received != none) write_flow("f", event.thread, messages.received, std::max(event.begin, event.end - 1));
  }

  void write_arguments(const Signature &what) {
    const char *separator = "";
    auto argument = [&](const char *key, std::int64_t value) {
      if (value < 0) return;
      out_ << separator << "\"" << key << "\":" << value;
      separator = ",";
    };
    out_ << ",\"args\":{";
    argument("comm", what.comm);
    argument("peer", what.peer);
    argument("root", what.root);
    argument("tag", what.tag);
    argument("bytes", what.bytes);
    if (what.request_call < wire::Call::none)
      out_ << separator << "\"request\":" << calls_[static_cast<std::size_t>(what.request_call)];
    out_ << "}";
  }

  void write_flow(const char *phase, std::uint16_t thread, MessageNumber message, std::int64_t at) {
    begin_event(phase, "\"message\"", thread);
    out_ << "\"cat\":\"message\",\"id\":" << message << ",\"ts\":" << Microseconds{at} << (*phase == 'f' ? ",\"bp\":\"e\"}" : "}");
  }

  void write_counter(std::int64_t at, std::int64_t bytes) {
    begin_event("C", "\"bytes in flight\"", 0);
    out_ << "\"ts\":" << Microseconds{at} << ",\"args\":{\"bytes\":" << bytes << "}}";
  }

  void write_end(const timeline::RankInfo &info) {
    begin_event("i", "\"the timeline ends here\"", 0);
    out_ << "\"s\":\"p\",\"ts\":" << Microseconds{std::max<std::int64_t>(0, info.to)}
         << ",\"args\":{\"dropped\":" << static_cast<std::int64_t>(info.dropped) << "}}";
  }

  const Signature &signature(const Event &event) const { return reader_.signatures()[event.what]; }

  timeline::Reader &reader_;
  analyze::MessageFlow flow_;
  TextOut out_;
  std::vector<std::string> calls_, regions_;  ///< names in quotes
  std::uint32_t rank_ = 0;
  bool first_ = true;
};

}  // namespace

void timeline_chrome_trace(timeline::Reader &reader, const Sink &sink) { ChromeTrace(reader, sink).write(); }

}  // namespace scope::render
