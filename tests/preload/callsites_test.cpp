#include "callsites.hpp"

#include <thread>
#include <vector>

#include "in_child.hpp"
#include "model/rank_record.hpp"
#include "site_records.hpp"

namespace {

using namespace scope;
using namespace scope::preload;
using scope::test::in_child;
using scope::test::start_as_rank;

/// Stands for an exported name.
[[gnu::noinline]] std::uint32_t entry_point(Thread &thread) {
  locate(thread, __builtin_return_address(0), __builtin_frame_address(0));
  asm volatile("");
  return thread.site;
}
[[gnu::noinline]] std::uint32_t caller_one(Thread &thread) {
  std::uint32_t site = entry_point(thread);
  asm volatile("");
  return site;
}
[[gnu::noinline]] std::uint32_t caller_two(Thread &thread) {
  std::uint32_t site = entry_point(thread);
  asm volatile("nop");  // equal functions would become one
  return site;
}

model::RankRecord read_back(const std::string &directory) {
  for (const auto &entry : std::filesystem::directory_iterator(directory))
    if (entry.path().filename().string().starts_with("live-")) return model::read_live_block(entry.path());
  return {};
}

TEST(CallSites, APlaceIsASite) {
  in_child([](const std::string &directory) {
    Thread &thread = start_as_rank(directory);
    start_callsites("1");
    prepare_callsites(thread);
    std::uint32_t one = caller_one(thread);
    EXPECT_EQ(one, 1u);
    EXPECT_EQ(caller_two(thread), 2u);
    EXPECT_EQ(caller_one(thread), one);
    EXPECT_EQ(thread.item->current.site, one);
    model::RankRecord record = read_back(directory);
    EXPECT_EQ(record.callsites.depth, 1);
    ASSERT_EQ(record.callsites.sites.size(), 2u);
    ASSERT_EQ(record.callsites.sites[0].size(), 1u);
    const model::CodeFrame &frame = record.callsites.frames[record.callsites.sites[0][0]];
    EXPECT_EQ(frame.module, record.executable);
    EXPECT_EQ(frame.build_id.size() % 2, 0u);
    EXPECT_FALSE(frame.python);
  });
}

TEST(CallSites, CallersTellOneLineApart) {
  in_child([](const std::string &directory) {
    Thread &thread = start_as_rank(directory);
    start_callsites("2");
    prepare_callsites(thread);
    std::vector<std::uint32_t> found;
    for (int i = 0; i < 3; ++i) found.push_back(caller_one(thread));
    found.push_back(caller_one(thread));
    EXPECT_EQ(found, (std::vector<std::uint32_t>{1, 1, 1, 2}));
    EXPECT_EQ(read_back(directory).callsites.sites[1].size(), 2u);
  });
}

TEST(CallSites, BadDepthsAreOff) {
  for (const char *text : {"0", "16", "x", "-1", "1x", "99999999999"}) {
    in_child([text](const std::string &directory) {
      Thread &thread = start_as_rank(directory);
      start_callsites(text);
      prepare_callsites(thread);
      EXPECT_EQ(thread.sites, nullptr);
    });
  }
}

TEST(CallSites, BeyondTheLimitTheyAreOneTogether) {
  in_child([](const std::string &directory) {
    start_as_rank(directory);
    start_callsites("1");
    for (std::uint32_t line = 1; line <= wire::site_limit; ++line) {
      std::uint32_t frame = python_frame("/src/run.py", "f", static_cast<int>(line));
      ASSERT_EQ(frame, line - 1);
      ASSERT_EQ(add_site(mix(7, line), &frame, 1), line);
    }
    EXPECT_EQ(python_frame("/src/run.py", "f", wire::site_limit + 1), no_frame);
    EXPECT_EQ(add_site(mix(7, wire::site_limit + 1), nullptr, 0), wire::site_other);
    EXPECT_EQ(known_site(mix(7, wire::site_limit + 1)), wire::site_other);
    EXPECT_EQ(known_site(mix(7, 5)), 5u);
    model::RankRecord record = read_back(directory);
    EXPECT_EQ(record.callsites.sites.size(), wire::site_limit);
    EXPECT_EQ(record.folded.sites, 1u);
  });
}

TEST(CallSitesThreads, ShareTheSites) {
  in_child([](const std::string &directory) {
    start_as_rank(directory);
    start_callsites("1");
    std::vector<std::thread> threads;
    for (int i = 0; i < 8; ++i)
      threads.emplace_back([] {
        Thread *thread = acquire_thread();
        prepare_callsites(*thread);
        for (int k = 0; k < 1000; ++k) {
          caller_one(*thread);
          caller_two(*thread);
        }
        release_thread(thread);
      });
    for (std::thread &thread : threads) thread.join();
    EXPECT_EQ(read_back(directory).callsites.sites.size(), 2u);
  });
}

}  // namespace
