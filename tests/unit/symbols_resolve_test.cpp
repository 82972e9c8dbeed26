#include "symbols/resolve.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace scope::symbols;

namespace {

std::uintptr_t here = 0;
int line_of_call = 0;

[[gnu::noinline]] void note_return_address() { here = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)); }

}  // namespace

namespace solver {
template <class T>
struct Grid {
  [[gnu::noinline]] void exchange(T) const {
    line_of_call = __LINE__ + 1;
    note_return_address();
    asm volatile("");  // no tail call
  }
};
}  // namespace solver

namespace {

/// The address in the terms of the file.
std::uint64_t in_file(std::uintptr_t address) {
  Dl_info info;
  link_map *map = nullptr;
  dladdr1(reinterpret_cast<void *>(address), &info, reinterpret_cast<void **>(&map), RTLD_DL_LINKMAP);
  return address - map->l_addr;
}

const char self[] = "/proc/self/exe";

TEST(Resolve, OwnCode) {
  solver::Grid<int>().exchange(1);
  Resolver resolver;
  Location location = resolver.find(self, "", in_file(here));
  EXPECT_EQ(location.function, "solver::Grid<int>::exchange");
  EXPECT_EQ(std::filesystem::path(location.file).filename(), "symbols_resolve_test.cpp");
  EXPECT_EQ(location.line, line_of_call);
  EXPECT_EQ(resolver.trouble(self), Trouble::none);
}

TEST(Resolve, AnotherBuildIsNotBelieved) {
  solver::Grid<int>().exchange(1);
  Resolver resolver;
  EXPECT_EQ(resolver.find(self, "0123456789", in_file(here)), Location{});
  EXPECT_EQ(resolver.trouble(self), Trouble::changed);
}

TEST(Resolve, FilesThatTellNothing) {
  const std::string text = testing::TempDir() + "no-elf", missing = testing::TempDir() + "not-there";
  std::ofstream(text) << "this is no program\n";
  Resolver resolver;
  EXPECT_EQ(resolver.find(text, "", 4096), Location{});
  EXPECT_EQ(resolver.trouble(text), Trouble::unreadable);
  EXPECT_EQ(resolver.find(missing, "", 4096), Location{});
  EXPECT_EQ(resolver.trouble(missing), Trouble::unreadable);
  EXPECT_EQ(resolver.find(testing::TempDir(), "", 4096), Location{});  // a directory
  EXPECT_EQ(resolver.find("", "", 4096), Location{});
  EXPECT_EQ(resolver.find(self, "", 0), Location{});
  EXPECT_EQ(resolver.find(self, "", ~std::uint64_t{0}), Location{});  // behind its end
  EXPECT_EQ(resolver.trouble("never asked"), Trouble::none);
}

TEST(Resolve, AskingServersIsLeftToTheUser) {
  ::setenv("DEBUGINFOD_URLS", "http://127.0.0.1:1/", 1);
  {
    Resolver resolver;
    EXPECT_EQ(std::getenv("DEBUGINFOD_URLS"), nullptr);
  }
  EXPECT_STREQ(std::getenv("DEBUGINFOD_URLS"), "http://127.0.0.1:1/");
}

TEST(Resolve, ReadableNames) {
  EXPECT_EQ(readable_name("main"), "main");
  EXPECT_EQ(readable_name("exchange_"), "exchange_");
  EXPECT_EQ(readable_name("_ZN6solver4Grid8exchangeEv"), "solver::Grid::exchange");
  EXPECT_EQ(readable_name("_ZNK6solver4Grid5shareEi"), "solver::Grid::share");  // const
  EXPECT_EQ(readable_name("_Z3runPFviE"), "run");                               // a function as parameter
  EXPECT_EQ(readable_name("_ZN1AclEi"), "A::operator()");
  EXPECT_EQ(readable_name("_ZZ4mainENKUliE_clEi"), "main::{lambda(int)#1}::operator()");
  EXPECT_EQ(readable_name("_ZN1A5valueE"), "A::value");
  EXPECT_EQ(readable_name("_Znonsense"), "_Znonsense");
}

}  // namespace
