#include "analyze/filter.hpp"

#include <gtest/gtest.h>

#include "sample_profile.hpp"
#include "support/error.hpp"

namespace {

using namespace scope;
using analyze::RankRange;

template <class Work>
std::string error_of(Work work) {
  try {
    work();
  } catch (const support::Error &error) {
    EXPECT_EQ(error.exit_code(), 2);
    return error.what();
  }
  return "no error";
}

TEST(RankRanges, AreParsed) {
  EXPECT_EQ(analyze::parse_rank_ranges("7"), (std::vector<RankRange>{{7, 7}}));
  EXPECT_EQ(analyze::parse_rank_ranges("0-3,8"), (std::vector<RankRange>{{0, 3}, {8, 8}}));
  EXPECT_EQ(analyze::parse_rank_ranges("5-5,0,2147483647"), (std::vector<RankRange>{{5, 5}, {0, 0}, {2147483647, 2147483647}}));
}

TEST(RankRanges, ErrorsNameThePart) {
  const auto parse = [](const std::string &text) { return error_of([&] { analyze::parse_rank_ranges(text); }); };
  const std::string none = "is no rank and no range of ranks; write it as in 0-3,8";
  EXPECT_EQ(parse(""), "--ranks : \"\" " + none);
  EXPECT_EQ(parse("0-3,x"), "--ranks 0-3,x: \"x\" " + none);
  EXPECT_EQ(parse("0,,3"), "--ranks 0,,3: \"\" " + none);
  EXPECT_EQ(parse("1,"), "--ranks 1,: \"\" " + none);
  EXPECT_EQ(parse("-1"), "--ranks -1: \"-1\" " + none);
  EXPECT_EQ(parse("1-"), "--ranks 1-: \"1-\" " + none);
  EXPECT_EQ(parse("1-2-3"), "--ranks 1-2-3: \"1-2-3\" " + none);
  EXPECT_EQ(parse("0, 1"), "--ranks 0, 1: \" 1\" " + none);
  EXPECT_EQ(parse("+1"), "--ranks +1: \"+1\" " + none);
  EXPECT_EQ(parse("2147483648"), "--ranks 2147483648: \"2147483648\" " + none);
  EXPECT_EQ(parse("\x1b[1m"), "--ranks \\x1b[1m: \"\\x1b[1m\" " + none);
  EXPECT_EQ(parse("0,5-2"), "--ranks 0,5-2: \"5-2\" ends before it begins");
}

TEST(RankRanges, AreFormatted) {
  EXPECT_EQ(analyze::format_ranks({}), "none");
  EXPECT_EQ(analyze::format_ranks({8, 0, 2, 1, 3, 3}), "0-3,8");
  EXPECT_EQ(analyze::format_ranks({2147483647, 2147483646}), "2147483646-2147483647");
}

TEST(Filter, ChoosesRanksOfEveryWorld) {
  model::Profile profile = test::sample_profile();
  profile.ranks[3].world = 1;
  profile.ranks[3].rank = 0;
  const analyze::Filter filter = analyze::make_filter(profile, "0,2-9", "", "");
  EXPECT_TRUE(filter.some_ranks());
  EXPECT_FALSE(filter.some_calls());
  EXPECT_EQ(analyze::chosen_ranks(profile, filter), (std::vector<std::size_t>{0, 2, 3}));
  EXPECT_EQ(analyze::chosen_ranks(profile, {}), (std::vector<std::size_t>{0, 1, 2, 3}));
}

TEST(Filter, RefusesRangesWithoutARank) {
  const model::Profile profile = test::sample_profile();
  EXPECT_EQ(error_of([&] { analyze::make_filter(profile, "0,4", "", ""); }),
            "--ranks 0,4: \"4\" is not in the profile; its ranks: 0-3");
  EXPECT_EQ(error_of([&] { analyze::make_filter(profile, "4-7", "", ""); }),
            "--ranks 4-7: \"4-7\" is not in the profile; its ranks: 0-3");
  EXPECT_EQ(error_of([&] { analyze::make_filter({}, "0", "", ""); }), "--ranks 0: \"0\" is not in the profile; its ranks: none");
}

TEST(Filter, SearchesProcedureNames) {
  const analyze::Filter filter = analyze::make_filter({}, "", "send|^MPI_I", "_init$");
  EXPECT_TRUE(filter.has_call("MPI_Isend"));
  EXPECT_TRUE(filter.has_call("MPI_Ibcast"));
  EXPECT_TRUE(filter.has_call("MPI_Ssend"));
  EXPECT_FALSE(filter.has_call("MPI_Send"));  // case matters
  EXPECT_FALSE(filter.has_call("MPI_Ssend_init"));
  EXPECT_TRUE(analyze::make_filter({}, "", "", "Send").has_call("MPI_Recv"));
}

TEST(Filter, ErrorNamesTheRegularExpression) {
  const std::string include = error_of([] { analyze::make_filter({}, "", "MPI_(Send", ""); });
  EXPECT_EQ(include.rfind("--include \"MPI_(Send\" is no regular expression: ", 0), 0u) << include;
  const std::string exclude = error_of([] { analyze::make_filter({}, "", "", "[z-a]"); });
  EXPECT_EQ(exclude.rfind("--exclude \"[z-a]\" is no regular expression: ", 0), 0u) << exclude;
}

TEST(Filter, SurvivesANameOfAMegabyte) {
  EXPECT_TRUE(analyze::make_filter({}, "", "(a|b)*$", "").has_call(std::string(1 << 20, 'a')));
}

}  // namespace
