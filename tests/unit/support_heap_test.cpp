#include "support/heap.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <malloc.h>
#include <sys/wait.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SCOPE_SANITIZED
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SCOPE_SANITIZED
#endif
#endif

#if defined(__GLIBC__) && !defined(SCOPE_SANITIZED)  // they have a heap of their own

namespace {

using scope::support::expect_memory;

constexpr std::size_t mebibyte = std::size_t{1} << 20;

std::size_t resident_pages() {
  std::size_t all = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> all >> resident;
  return resident;
}

/// Whether the mapping that ends at `end` asks for huge pages.
bool wants_huge_pages(const void *end) {
  std::ifstream maps("/proc/self/smaps");
  char number[32];
  snprintf(number, sizeof number, "-%lx ", reinterpret_cast<unsigned long>(end));
  bool here = false;
  for (std::string line; std::getline(maps, line);) {
    if (line.find(number) != std::string::npos && line.find('-') == line.find(number)) here = true;
    if (here && line.starts_with("VmFlags:")) return line.find(" hg") != std::string::npos;
  }
  return false;
}

/// In a process of its own, since what is said to malloc stays.
template <class Body>
void in_child(Body body) {
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    body();
    fflush(nullptr);
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << "the child failed, wait status " << status;
}

TEST(Heap, GrowsOnceAndTouchesNothing) {
  in_child([] {
    const std::size_t before = resident_pages();
    expect_memory(256 * mebibyte);
    EXPECT_GE(mallinfo2().keepcost, 256 * mebibyte);
    EXPECT_LT(resident_pages() - before, 1024u) << "pages of 4 KiB";
    const void *const end = sbrk(0);
    EXPECT_EQ(wants_huge_pages(end), std::filesystem::exists("/sys/kernel/mm/transparent_hugepage"));

    std::vector<std::vector<char>> blocks;
    for (int i = 0; i < 30; ++i) blocks.emplace_back(8 * mebibyte, 'x');  // larger than what malloc maps on its own
    EXPECT_EQ(sbrk(0), end);
    EXPECT_LT(static_cast<const void *>(blocks.back().data()), end);
    blocks.clear();
    EXPECT_EQ(sbrk(0), end) << "kept for what comes next";
  });
}

TEST(Heap, GrowsAgainByWhatIsMissing) {
  in_child([] {
    expect_memory(64 * mebibyte);
    const char *const end = static_cast<const char *>(sbrk(0));
    expect_memory(48 * mebibyte);
    EXPECT_EQ(sbrk(0), end) << "there already";
    expect_memory(256 * mebibyte);
    EXPECT_GT(static_cast<const char *>(sbrk(0)), end + 128 * mebibyte);
    EXPECT_GE(mallinfo2().keepcost, 256 * mebibyte);
  });
}

TEST(Heap, LeavesSmallFilesAlone) {
  in_child([] {
    const void *const end = sbrk(0);
    expect_memory(mebibyte);
    EXPECT_EQ(sbrk(0), end);
    void *const large = malloc(mebibyte);  // mapped by itself, as ever
    EXPECT_EQ(sbrk(0), end);
    free(large);
  });
}

}  // namespace

#endif
