// Timelines in the formats of other tools.

#include <gtest/gtest.h>
#include <malloc.h>

#include <fstream>
#include <map>
#include <random>
#include <regex>
#include <set>

#include <nlohmann/json.hpp>

#include "render/text_out.hpp"
#include "render/timeline_chrome_trace.hpp"
#include "render/timeline_csv.hpp"
#include "render/timeline_names.hpp"
#include "render/timeline_python_profile.hpp"
#include "render/timeline_speedscope.hpp"
#include "support/text.hpp"
#include "temporary_directory.hpp"
#include "timeline_sample.hpp"

using namespace scope::render;
using namespace scope::timeline;
using nlohmann::json;
using scope::test::small_timeline;
using scope::wire::Call;

namespace {

using Export = void (*)(Reader &, const Sink &);

std::string exported(Export format, const Timeline &line) {
  scope::test::TemporaryDirectory directory;
  scope::test::write_timeline(directory.path / "a", line);
  Reader reader(directory.path / "a");
  std::string text;
  format(reader, [&text](std::string_view part) { text += part; });
  EXPECT_TRUE(reader.warnings().empty());
  return std::regex_replace(text, std::regex("scope-profiler@[0-9.]+"), "scope-profiler@X");
}

TEST(TimelineCsv, HoldsMatchedMessages) {
  EXPECT_EQ(exported(timeline_csv, small_timeline()), "world,src,dst,start,end,bytes,tag,comm\r\n0,0,1,20,5000,80,7,0\r\n");
  EXPECT_EQ(exported(timeline_csv, {}), "world,src,dst,start,end,bytes,tag,comm\r\n");
}

TEST(TimelineChromeTrace, IsAsWritten) {
  EXPECT_EQ(exported(timeline_chrome_trace, small_timeline()), R"json({"displayTimeUnit":"ns","otherData":{"exporter":"scope-profiler@X","run_id":"run-1","start_unix_ns":1700000000000000000},"traceEvents":[
{"ph":"M","name":"process_name","pid":1,"tid":1,"args":{"name":"rank 0 (node1)"}},
{"ph":"M","name":"process_sort_index","pid":1,"tid":1,"args":{"sort_index":0}},
{"ph":"M","name":"thread_name","pid":1,"tid":1,"args":{"name":"thread 0"}},
{"ph":"X","name":"solve","pid":1,"tid":1,"cat":"region","ts":0.010,"dur":7.990},
{"ph":"X","name":"halo","pid":1,"tid":1,"cat":"region","ts":0.010,"dur":0.890},
{"ph":"X","name":"MPI_Isend","pid":1,"tid":1,"cat":"mpi","ts":0.020,"dur":0.010,"args":{"comm":0,"peer":1,"tag":7,"bytes":80}},
{"ph":"s","name":"message","pid":1,"tid":1,"cat":"message","id":2,"ts":0.020},
{"ph":"C","name":"bytes in flight","pid":1,"tid":1,"ts":0.020,"args":{"bytes":80}},
{"ph":"M","name":"thread_name","pid":1,"tid":2,"args":{"name":"thread 1"}},
{"ph":"X","name":"MPI_Bcast","pid":1,"tid":2,"cat":"mpi","ts":0.025,"dur":1.000,"args":{"comm":0,"root":1,"bytes":1099511627776}},
{"ph":"X","name":"MPI_Irecv","pid":1,"tid":1,"cat":"mpi","ts":0.031,"dur":0.004,"args":{"comm":0,"tag":7,"bytes":80}},
{"ph":"X","name":"MPI_Waitall","pid":1,"tid":1,"cat":"mpi","ts":0.040,"dur":0.560,"args":{"comm":0,"peer":1,"tag":7,"bytes":80,"request":"MPI_Isend"}},
{"ph":"X","name":"MPI_Sendrecv","pid":1,"tid":1,"cat":"mpi","ts":0.950,"dur":0.250,"args":{"comm":0,"peer":1,"bytes":8}},
{"ph":"C","name":"bytes in flight","pid":1,"tid":1,"ts":5.000,"args":{"bytes":0}},
{"ph":"M","name":"process_name","pid":2,"tid":1,"args":{"name":"rank 1 (node\"2\")"}},
{"ph":"M","name":"process_sort_index","pid":2,"tid":1,"args":{"sort_index":1}},
{"ph":"M","name":"thread_name","pid":2,"tid":1,"args":{"name":"thread 0"}},
{"ph":"X","name":"MPI_Recv","pid":2,"tid":1,"cat":"mpi","ts":0.100,"dur":4.900,"args":{"comm":0,"peer":0,"tag":7,"bytes":80}},
{"ph":"f","name":"message","pid":2,"tid":1,"cat":"message","id":2,"ts":4.999,"bp":"e"},
{"ph":"X","name":"MPI_Isend","pid":2,"tid":1,"cat":"mpi","ts":5.000,"dur":0.000,"args":{"comm":0,"peer":1,"tag":7,"bytes":80}},
{"ph":"i","name":"the timeline ends here","pid":2,"tid":1,"s":"p","ts":7.000,"args":{"dropped":3}}
]}
)json");
}

TEST(TimelineSpeedscope, IsAsWritten) {
  EXPECT_EQ(exported(timeline_speedscope, small_timeline()),
            R"json({"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"scope-profiler@X","shared":{"frames":[
{"name":"solve"},
{"name":"halo"},
{"name":"MPI_Irecv"},
{"name":"MPI_Isend"},
{"name":"MPI_Recv"},
{"name":"MPI_Sendrecv"},
{"name":"MPI_Waitall"},
{"name":"MPI_Bcast"}]},"profiles":[
{"type":"evented","name":"rank 0 thread 0 (node1)","unit":"nanoseconds","events":[
{"type":"O","frame":0,"at":10},
{"type":"O","frame":1,"at":10},
{"type":"O","frame":3,"at":20},
{"type":"C","frame":3,"at":30},
{"type":"O","frame":2,"at":31},
{"type":"C","frame":2,"at":35},
{"type":"O","frame":6,"at":40},
{"type":"C","frame":6,"at":600},
{"type":"C","frame":1,"at":900},
{"type":"O","frame":5,"at":950},
{"type":"C","frame":5,"at":1200},
{"type":"C","frame":0,"at":8000}],"startValue":0,"endValue":9000},
{"type":"evented","name":"rank 0 thread 1 (node1)","unit":"nanoseconds","events":[
{"type":"O","frame":7,"at":25},
{"type":"C","frame":7,"at":1025}],"startValue":0,"endValue":9000},
{"type":"evented","name":"rank 1 (node\"2\")","unit":"nanoseconds","events":[
{"type":"O","frame":4,"at":100},
{"type":"C","frame":4,"at":5000},
{"type":"O","frame":3,"at":5000},
{"type":"C","frame":3,"at":5000}],"startValue":5,"endValue":8000}]}
)json");
}

/// Ranks on a ring that exchange, with regions that nest, regions that overlap, and names that want to be more than names.
Timeline busy_timeline(int ranks, int steps) {
  std::mt19937 random(7);
  Timeline line;
  line.header.regions = {"a\x1b[31m\"\\\\\n<script>", "a\x1b[31m\"\\\\\n<script>/in\\/side", "\xff::error::"};
  line.header.communicators = {{0, 0, ranks, 0, {0}}};
  for (int rank = 0; rank < ranks; ++rank) {
    line.header.ranks.push_back({.world = 0, .rank = rank, .host = "h\"\n\x01", .end = 1 << 30, .to = 1 << 30});
    line.signatures.push_back({.call = Call::MPI_Isend, .comm = 0, .peer = rank, .tag = 1, .bytes = 100});
    line.signatures.push_back({.call = Call::MPI_Irecv, .comm = 0, .peer = rank, .tag = 1, .bytes = 100});
    line.signatures.push_back(
        {.call = Call::MPI_Waitall, .request_call = Call::MPI_Irecv, .comm = 0, .peer = rank, .tag = 1, .bytes = 100});
  }
  line.events.resize(line.header.ranks.size());
  for (int rank = 0; rank < ranks; ++rank) {
    auto &events = line.events[static_cast<std::size_t>(rank)];
    std::int64_t now = 0;
    auto add = [&](int what, Kind kind, std::uint32_t start = none) {
      const std::int64_t begin = now += 1 + random() % 50;
      now += random() % 50;
      events.push_back({.begin = begin, .end = now, .what = static_cast<std::uint32_t>(what), .start = start, .kind = kind});
      return static_cast<std::uint32_t>(events.size() - 1);
    };
    for (int step = 0; step < steps; ++step) {
      const auto outer = add(0, Kind::region), inner = add(1 + step % 2, Kind::region);
      const int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
      const auto posted = add(3 * left + 1, Kind::call);
      add(3 * right, Kind::call);
      add(3 * left + 2, Kind::call, posted);
      events[inner].end = now + 5;
      events[outer].end = now + static_cast<std::int64_t>(random() % 10);  // now and then before the inner one
    }
  }
  return line;
}

TEST(TimelineChromeTrace, FlowsHaveTwoEndsAndCountersEndAtZero) {
  const json trace = json::parse(exported(timeline_chrome_trace, busy_timeline(5, 40)));
  std::map<int, std::vector<json>> flows;
  std::map<int, std::pair<double, std::int64_t>> counters;
  std::map<std::string, int> phases;
  std::set<std::string> names;
  for (const json &event : trace["traceEvents"]) {
    const std::string phase = event["ph"];
    ++phases[phase];
    if (phase == "s" || phase == "f") flows[event["id"]].push_back(event);
    if (phase == "X") names.insert(event["name"].get<std::string>());
    if (phase != "C") continue;
    auto &[at, bytes] = counters[event["pid"]];
    EXPECT_GE(event["ts"].get<double>(), at);
    at = event["ts"];
    bytes = event["args"]["bytes"];
    EXPECT_GE(bytes, 0);
    EXPECT_EQ(bytes % 100, 0);
  }
  EXPECT_EQ(phases["X"], 5 * 40 * 5);
  EXPECT_EQ(flows.size(), 200u);
  for (const auto &[id, ends] : flows) {
    ASSERT_EQ(ends.size(), 2u) << id;
    EXPECT_EQ((std::set<std::string>{ends[0]["ph"], ends[1]["ph"]}), (std::set<std::string>{"s", "f"})) << id;
    EXPECT_EQ(ends[0]["cat"], ends[1]["cat"]);
    EXPECT_NE(ends[0]["pid"], ends[1]["pid"]);
  }
  EXPECT_EQ(counters.size(), 5u);
  for (const auto &[pid, last] : counters) EXPECT_EQ(last.second, 0) << pid;
  EXPECT_EQ(names, (std::set<std::string>{"MPI_Irecv", "MPI_Isend", "MPI_Waitall", "a\x1b[31m\"\\\n<script>", "in/side",
                                          "\xef\xbf\xbd::error::"}));
}

TEST(TimelineSpeedscope, EventsNest) {
  const json file = json::parse(exported(timeline_speedscope, busy_timeline(3, 60)));
  EXPECT_EQ(file["profiles"].size(), 3u);
  for (const json &profile : file["profiles"]) {
    std::vector<int> open;
    std::int64_t at = profile["startValue"];
    for (const json &event : profile["events"]) {
      EXPECT_GE(event["at"].get<std::int64_t>(), at);
      at = event["at"];
      const int frame = event["frame"];
      ASSERT_LT(static_cast<std::size_t>(frame), file["shared"]["frames"].size());
      if (event["type"] == "O") {
        open.push_back(frame);
        continue;
      }
      ASSERT_FALSE(open.empty());
      EXPECT_EQ(open.back(), frame);
      open.pop_back();
    }
    EXPECT_TRUE(open.empty());
    EXPECT_EQ(profile["events"].size(), 2u * 60 * 5);
    EXPECT_LE(at, profile["endValue"].get<std::int64_t>());
  }
}

/// What a merge makes of small_timeline, as far as the format shows it.
scope::model::Profile small_profile() {
  scope::model::Profile profile;
  profile.metadata.exporter = "scope-profiler@X";
  profile.ranks.resize(2);
  profile.ranks[1].rank = 1;
  profile.ranks[1].wall_ns = 7995;
  profile.ranks[1].mpi_ns = 4900;
  scope::model::RegionRow region;
  region.name = region.path = "solve";
  region.source_file = "a.c";
  region.source_line = 3;
  region.per_rank.calls = {1, 0};
  region.per_rank.total_ns = {7990, 0};
  profile.regions = {region};
  scope::model::CallRow call;
  call.name = "MPI_Recv";
  call.calls = 1;
  call.total_ns = call.min_ns = call.max_ns = 4900;
  call.per_rank = {{0, 1}, {0, 4900}, {0, 0}, {0, 80}};
  profile.calls = {call};
  scope::model::SignatureRow signature;
  signature.region = "mpi:recv kind=point-to-point bytes=80 peer=0 root=-1 tag=7 comm=0";
  signature.call = "MPI_Recv";
  signature.comm = signature.peer = 0;
  signature.tag = 7;
  signature.bytes = 80;
  signature.calls = 1;
  signature.total_ns = signature.min_ns = signature.max_ns = 4900;
  signature.ranks = {1};
  profile.signatures = {signature};
  return profile;
}

std::string python_profile(const scope::model::Profile &profile, const Timeline &line) {
  scope::test::TemporaryDirectory directory;
  scope::test::write_timeline(directory.path / "a", line);
  Reader reader(directory.path / "a");
  std::string text;
  timeline_python_profile(profile, reader, [&text](std::string_view part) { text += part; });
  return text;
}

// Rank 1 has lost events: its row is that of the profile.
TEST(TimelinePythonProfile, HasInstantsWhereTheyAreAllThere) {
  EXPECT_EQ(python_profile(small_profile(), small_timeline()), R"json({"format":"scope-profiler-profile","format_version":1,"time_unit":"nanoseconds","exporter":"scope-profiler@X","num_ranks":2,"event_data_available":true,"metadata":{"mpi_size":2,"exit_status":0,"complete":1},"regions":[
{"name":"program","rank":0,"tags":[],"start_times_ns":[0],"end_times_ns":[9000]},
{"name":"solve","rank":0,"source_file":"a.c","source_lineno":3,"tags":[],"start_times_ns":[10],"end_times_ns":[8000],"thread_ids":[0]},
{"name":"halo","rank":0,"tags":[],"start_times_ns":[10],"end_times_ns":[900],"thread_ids":[0]},
{"name":"mpi:isend kind=point-to-point bytes=80 peer=1 root=-1 tag=7 comm=0","rank":0,"tags":["mpi","mpi.kind:point-to-point","mpi.operation:isend","mpi.bytes:80","mpi.peer:1","mpi.root:-1","mpi.tag:7","mpi.communicator:0"],"start_times_ns":[20],"end_times_ns":[30],"thread_ids":[0]},
{"name":"mpi:bcast kind=collective bytes=1099511627776 peer=-1 root=1 tag=-1 comm=0","rank":0,"tags":["mpi","mpi.kind:collective","mpi.operation:bcast","mpi.bytes:1099511627776","mpi.peer:-1","mpi.root:1","mpi.tag:-1","mpi.communicator:0"],"start_times_ns":[25],"end_times_ns":[1025],"thread_ids":[1]},
{"name":"mpi:irecv kind=point-to-point bytes=80 peer=-1 root=-1 tag=7 comm=0","rank":0,"tags":["mpi","mpi.kind:point-to-point","mpi.operation:irecv","mpi.bytes:80","mpi.peer:-1","mpi.root:-1","mpi.tag:7","mpi.communicator:0"],"start_times_ns":[31],"end_times_ns":[35],"thread_ids":[0]},
{"name":"mpi:waitall kind=wait bytes=80 peer=1 root=-1 tag=7 comm=0 request=isend","rank":0,"tags":["mpi","mpi.kind:wait","mpi.operation:waitall","mpi.bytes:80","mpi.peer:1","mpi.root:-1","mpi.tag:7","mpi.communicator:0","mpi.request:isend"],"start_times_ns":[40],"end_times_ns":[600],"thread_ids":[0]},
{"name":"mpi:sendrecv kind=point-to-point bytes=8 peer=1 root=-1 tag=-1 comm=0","rank":0,"tags":["mpi","mpi.kind:point-to-point","mpi.operation:sendrecv","mpi.bytes:8","mpi.peer:1","mpi.root:-1","mpi.tag:-1","mpi.communicator:0"],"start_times_ns":[950],"end_times_ns":[1200],"thread_ids":[0]},
{"name":"program","rank":1,"tags":[],"aggregate":{"count":1,"total":7995,"minimum":7995,"maximum":7995,"mean":7995.0,"start_minimum":0,"end_maximum":7995}},
{"name":"mpi:recv kind=point-to-point bytes=80 peer=0 root=-1 tag=7 comm=0","rank":1,"tags":["mpi","mpi.kind:point-to-point","mpi.operation:recv","mpi.bytes:80","mpi.peer:0","mpi.root:-1","mpi.tag:7","mpi.communicator:0"],"aggregate":{"count":1,"total":4900,"exclusive":4900,"minimum":4900,"maximum":4900,"mean":4900.0}}
]}
)json");
}

TEST(TimelinePythonProfile, IsReadBack) {
  Timeline line = busy_timeline(3, 50);
  scope::model::Profile profile;
  profile.metadata.exporter = "scope-profiler@X";
  profile.ranks.resize(3);
  for (int rank = 0; rank < 3; ++rank) profile.ranks[static_cast<std::size_t>(rank)].rank = rank;
  const auto back = scope::model::parse_profile(python_profile(profile, line), "a.json");
  std::map<std::string, std::int64_t> calls;
  for (const auto &call : back.calls) calls[call.name] = call.calls;
  EXPECT_EQ(calls, (std::map<std::string, std::int64_t>{{"MPI_Irecv", 150}, {"MPI_Isend", 150}, {"MPI_Waitall", 150}}));
  std::int64_t total = 0;
  for (const auto &events : line.events)
    for (const Event &event : events) total += event.kind == Kind::call ? event.end - event.begin : 0;
  EXPECT_EQ(back.totals.mpi_ns, total);
  EXPECT_EQ(back.regions.size(), 4u + 3 * 3) << "program, three regions, three calls of every rank";
  EXPECT_EQ(back.totals.wall_ns, 1 << 30);
}

TEST(TimelineExports, NamesAreData) {
  for (const Export format : {timeline_chrome_trace, timeline_speedscope}) {
    const std::string text = exported(format, busy_timeline(2, 2));
    EXPECT_EQ(scope::support::valid_utf8(text), text);
    for (const char c : text) EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n');
  }
  EXPECT_EQ(json::parse(json_string("a\"\xff\x1b\n")), json("a\"\xef\xbf\xbd\x1b\n"));
  EXPECT_EQ(region_name("solve/in\\/side"), "in/side");
  EXPECT_EQ(region_name("a\\\\/b"), "b");
  EXPECT_EQ(region_name("a/b\\\\"), "b\\");
  EXPECT_EQ(region_name(""), "");
  Header two;
  two.ranks = {{.world = 0, .rank = 4, .host = "a"}, {.world = 1, .rank = 0, .host = "a"}};
  EXPECT_EQ(rank_name(two, 0) + ", " + rank_name(two, 1), "world 0 rank 4, world 1 rank 0");
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SCOPE_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SCOPE_SANITIZED
#endif
#endif

#ifndef SCOPE_SANITIZED  // they take memory of their own
/// Largest resident size since the last reset, in bytes; `key` VmRSS: the size now.
std::int64_t memory(const std::string &key) {
  std::ifstream in("/proc/self/status");
  for (std::string word; in >> word;) {
    std::int64_t kib = 0;
    if (word == key + ":" && in >> kib) return kib * 1024;
  }
  return 0;
}

// Half a million events of 32 bytes, 100,000 messages. Of the largest timelines bench_timeline tells.
TEST(TimelineExports, TakeTheMemoryOfABlockAndTheMessages) {
  scope::test::TemporaryDirectory directory;
  {
    const Timeline line = busy_timeline(4, 25'000);
    scope::test::write_timeline(directory.path / "a", line);
  }
  scope::model::Profile profile;
  profile.ranks.resize(4);
  for (int rank = 0; rank < 4; ++rank) profile.ranks[static_cast<std::size_t>(rank)].rank = rank;
  std::size_t bytes = 0;
  const Sink sink = [&bytes](std::string_view part) { bytes += part.size(); };
  ::malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << 5;  // proc(5): resets the peak
  const std::int64_t before = memory("VmRSS");
  Reader reader(directory.path / "a");
  timeline_chrome_trace(reader, sink);
  timeline_speedscope(reader, sink);
  timeline_csv(reader, sink);
  EXPECT_LT(memory("VmHWM") - before, 12 << 20) << "before the format that gathers instants";
  timeline_python_profile(profile, reader, sink);
  EXPECT_LT(memory("VmHWM") - before, 18 << 20);
  EXPECT_GT(bytes, 100u << 20);
}
#endif

TEST(TimelineExports, LostSignaturesHaveNoName) {
  Timeline line = small_timeline();
  line.signatures.assign(7, {});
  EXPECT_EQ(exported(timeline_csv, line), "world,src,dst,start,end,bytes,tag,comm\r\n");
  EXPECT_NE(exported(timeline_chrome_trace, line).find(R"("name":"MPI call")"), std::string::npos);
  EXPECT_NE(exported(timeline_speedscope, line).find(R"("name":"MPI call")"), std::string::npos);
}

}  // namespace
