#include "render/comparison.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "support/error.hpp"

namespace {

using namespace scope;
using namespace scope::render;

compare::SideBySide sides() {
  compare::SideBySide result;
  compare::Side base, other;
  base.file = "base.json";
  base.ranks = 2;
  base.wall_ns = 2e9;
  base.mpi_share = 0.25;
  base.parallel = 0.75;
  base.load_balance = 1;
  base.communication = 0.75;
  base.calls = 10;
  base.useful_ns = 3e9;
  other = base;
  other.file = "new<b>.json";
  other.ranks = 4;
  other.wall_ns = 1.25e9;
  other.useful_ns = 4e9;
  result.sides = {base, other};
  compare::Change changed, gone;
  changed.name = "MPI_Allreduce";
  changed.base_ns = 1e6;
  changed.ns = 3e6;
  changed.change_ns = 2e6;
  changed.change = 2;
  changed.noise = compare::Noise::beyond;
  changed.base_calls = 5;
  changed.calls = 6;
  gone.name = "MPI_Send";
  gone.base_ns = 1000;
  gone.change_ns = -1000;
  gone.change = -1;
  gone.base_calls = 5;
  gone.base_bytes = 40;
  result.calls = {{changed, gone}};
  result.regions = {{}};
  return result;
}

TEST(Comparison, Text) {
  ComparisonOptions options;
  options.top = 1;
  options.scaling = compare::Scaling::strong;
  EXPECT_EQ(comparison(sides(), options),
            "new<b>.json against base.json: wall time 37.5 % shorter\n"
            "\n"
            "Profiles\n"
            "The first is the base. Wall time: of the longest rank. Of repetitions the medians.\n"
            "                                                parallel     load                        bytes\n"
            "profile      ranks     wall   change     MPI  efficiency  balance  communication  calls   sent\n"
            "base.json        2  2.000 s        -  25.0 %      75.0 %  100.0 %         75.0 %     10    0 B\n"
            "new<b>.json      4  1.250 s  -37.5 %  25.0 %      75.0 %  100.0 %         75.0 %     10    0 B\n"
            "\n"
            "Strong scaling\n"
            "The same problem on more ranks. Speed-up: wall time of the base / wall time. Efficiency: speed-up /\n"
            "  times the ranks. Computation: time outside MPI of the base / that of the profile, all ranks\n"
            "  together. Global: parallel efficiency x computation.\n"
            "                                                                        load\n"
            "profile      ranks     wall  speed-up  efficiency  global  parallel  balance  computation\n"
            "base.json        2  2.000 s      1.00     100.0 %  75.0 %    75.0 %  100.0 %      100.0 %\n"
            "new<b>.json      4  1.250 s      1.60      80.0 %  56.2 %    75.0 %  100.0 %       75.0 %\n"
            "Not shown for want of width: communication\n"
            "\n"
            "MPI calls that changed most\n"
            "Time: mean over the ranks. Noise: whether runs of one profile differ as much (Mann-Whitney, 5 % a\n"
            "  row).\n"
            "                                                                     calls  calls    bytes  bytes\n"
            "call              base      now    change      in %  noise         of base    now  of base    now\n"
            "MPI_Allreduce  1.00 ms  3.00 ms  +2.00 ms  +200.0 %  beyond noise        5      6      0 B    0 B\n"
            "... and 1 more (--top 0 shows all)\n"
            "\n"
            "Warnings\n"
            "- The numbers of ranks differ: times are means over the ranks, counts and bytes are of all of them.\n");
}

TEST(Comparison, JsonHasRawNumbers) {
  ComparisonOptions options;
  options.format = "json";
  options.scaling = compare::Scaling::weak;
  const auto root = nlohmann::json::parse(comparison(sides(), options));
  EXPECT_EQ(root["base"], "base.json");
  EXPECT_EQ(root["profiles"][1]["wall_ns"], 1250000000);
  EXPECT_EQ(root["profiles"][1]["wall_change"], -0.375);
  EXPECT_EQ(root["profiles"][0]["wall_change"], nullptr);
  EXPECT_EQ(root["scaling"][1]["speedup"], 3.2);
  EXPECT_EQ(root["scaling"][1]["efficiency"], 1.6);
  EXPECT_EQ(root["calls"][0]["call"], "MPI_Allreduce");
  EXPECT_EQ(root["calls"][0]["change"], 2);
  EXPECT_EQ(root["calls"][0]["noise"], "beyond noise");
  EXPECT_EQ(root["calls"][1]["ns"], nullptr);
  EXPECT_EQ(root["calls"][1]["change_ns"], -1000);
  EXPECT_EQ(root["warnings"][0]["id"], "ranks-differ");
}

TEST(Comparison, CsvHoldsTheChangesOrTheScaling) {
  ComparisonOptions options;
  options.format = "csv";
  EXPECT_EQ(comparison(sides(), options),
            "profile,call,base_ns,ns,change_ns,change,noise,base_calls,calls,base_bytes,bytes\r\n"
            "new<b>.json,MPI_Allreduce,1000000,3000000,2000000,2,beyond noise,5,6,0,0\r\n"
            "new<b>.json,MPI_Send,1000,,-1000,-1,,5,0,40,0\r\n");
  options.scaling = compare::Scaling::strong;
  EXPECT_EQ(comparison(sides(), options).substr(0, 30), "file,ranks,wall_ns,speedup,eff");
}

TEST(Comparison, PageIsOneFileAndNamesAreText) {
  ComparisonOptions options;
  options.format = "html";
  options.scaling = compare::Scaling::strong;
  const std::string page = comparison(sides(), options);
  EXPECT_EQ(page.find("<b>"), std::string::npos);
  EXPECT_NE(page.find("new&lt;b&gt;.json"), std::string::npos);
  for (const char *outside : {"http://", "https://", "<script", "src="}) EXPECT_EQ(page.find(outside), std::string::npos) << outside;
  EXPECT_NE(page.find("<title>4 ranks: 1.60</title>"), std::string::npos);
}

TEST(Comparison, MarkdownHasNotesAndBounds) {
  ComparisonOptions options;
  options.format = "markdown";
  options.top = 1;
  const std::string text = comparison(sides(), options);
  EXPECT_EQ(text.rfind("# new&lt;b&gt;.json against base.json: wall time 37.5 % shorter\n", 0), 0u) << text;
  EXPECT_NE(text.find("\n... and 1 more\n"), std::string::npos) << text;
}

}  // namespace
