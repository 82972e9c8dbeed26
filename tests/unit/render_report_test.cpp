#include "render/report.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "sample_profile.hpp"
#include "support/error.hpp"
#include "support/text.hpp"

namespace {

using namespace scope;
using render::report;
using render::ReportOptions;

ReportOptions options_of(const std::string &format, std::vector<std::string> by = {}) {
  ReportOptions options;
  options.format = format;
  options.by = std::move(by);
  return options;
}

std::string error_of(const ReportOptions &options, const model::Profile &profile = test::sample_profile()) {
  try {
    return "no error: " + report(profile, options);
  } catch (const support::Error &error) {
    EXPECT_EQ(error.exit_code(), 2);
    return error.what();
  }
}

bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

/// Profile of so many ranks, each with MPI time of its own.
model::Profile many_ranks(int count) {
  model::Profile profile = test::sample_profile();
  profile.ranks.clear();
  for (int i = 0; i < count; ++i) profile.ranks.push_back(test::sample_rank(i, "node" + std::to_string(i), 1000 * (i + 1)));
  return profile;
}

TEST(Report, OverviewAsTextIsExact) {
  EXPECT_EQ(report(test::sample_profile(), options_of("text")),
            "Profile of mpiexec -n 4 ./heat 'it'\\''s hot'\n"
            "4 ranks on 2 hosts, Open MPI v4.1.4, wall time 10.0 ms\n"
            "Started 2024-05-01T12:00:00Z\n"
            "Parallel efficiency 80.0 % = load balance 88.9 % x communication 90.0 %\n"
            "(load balance: mean / max of time outside MPI; communication: max time outside MPI / max wall time)\n"
            "MPI time 8.00 ms: 20.0 % of 40.0 ms, the wall times added up of all 4 ranks\n"
            "Point-to-point: 15 messages, 30.0 KiB; one-sided: 4 operations, 10.0 KiB; 100.0 % within a host\n"
            "Cost of the profiler: 2.00 us, less than 0.1 % of MPI time (42 calls x calibrated cost)\n"
            "\n"
            "MPI calls by time\n"
            "% of MPI time: share of 8.00 ms that all 4 ranks together spent in MPI. % of rank time: share of\n"
            "  40.0 ms, the wall times added up of all 4 ranks. Imbalance: 1 - mean / maximum of the ranks' times\n"
            "  in the call.\n"
            "                                               % of       % of                      bytes\n"
            "call                       calls    total  MPI time  rank time     mean     max      sent  imbalance\n"
            "MPI_Allreduce                  8  4.00 ms    50.0 %     10.0 %   500 us  600 us      64 B     33.3 %\n"
            "MPI_Recv                      15  1.50 ms    18.8 %      3.8 %   100 us  600 us       0 B     53.1 %\n"
            "MPI_Neighbor…ems_to_end_c      4  1.50 ms    18.8 %      3.8 %   375 us  600 us       0 B     53.1 %\n"
            "MPI_Send                      15  1.00 ms    12.5 %      2.5 %  66.7 us  600 us  30.0 KiB     64.3 %\n"
            "Not shown for want of width: kind, bytes received, p95 (--columns chooses)\n"
            "\n"
            "Ranks\n"
            "% of wall: MPI time as a share of the rank's wall time.\n"
            "                                                 % of            bytes     bytes\n"
            "rank  host        status        wall      MPI    wall  calls      sent  received\n"
            "   0  node1       finalized  10.0 ms  1.00 ms  10.0 %     13  10.0 KiB      16 B\n"
            "   1  node1       finalized  10.0 ms  2.00 ms  20.0 %     13      16 B  10.0 KiB\n"
            "   2  計算ノード  finalized  10.0 ms  3.00 ms  30.0 %      8  20.0 KiB      16 B\n"
            "   3  計算ノード  finalized  10.0 ms  2.00 ms  20.0 %      8      16 B  20.0 KiB\n"
            "\n"
            "Peers by bytes\n"
            "% of bytes: share of the 40.0 KiB that point-to-point and one-sided calls of all 4 ranks moved.\n"
            "  Collectives are not in this table.\n"
            "                from    to                                             from        to\n"
            "layer           rank  rank  messages     bytes  mean size  % of bytes  host        host\n"
            "point-to-point     2     3         5  20.0 KiB   4.00 KiB      50.0 %  計算ノード  計算ノード\n"
            "point-to-point     0     1        10  10.0 KiB   1.00 KiB      25.0 %  node1       node1\n"
            "one-sided          1     0         4  10.0 KiB   2.50 KiB      25.0 %  node1       node1\n"
            "\n"
            "Communicators by time\n"
            "% of MPI time: share of 8.00 ms that all 4 ranks together spent in MPI. Bytes: sent.\n"
            "                                                       % of\n"
            "id  name                     size  calls    total  MPI time     bytes\n"
            " 0  MPI_COMM_WORLD              4     36  5.50 ms    68.8 %  30.0 KiB\n"
            " 2  \\x1b[31mred\\x0d\\x0aline     4      4  1.50 ms    18.8 %       0 B\n"
            " 1  a|b `c` <i>\"d\", e</i>       2      2  1.00 ms    12.5 %      16 B\n"
            "\n"
            "Message sizes by time\n"
            "Size: bytes of one call. Bytes: sent and received. Mean: time of one call.\n"
            "call                          size  calls     bytes    total     mean\n"
            "MPI_Allreduce           8 B - 15 B      8      64 B  4.00 ms   500 us\n"
            "MPI_Send       4.00 KiB - 8.00 KiB      5  20.0 KiB   700 us   140 us\n"
            "MPI_Send       1.00 KiB - 2.00 KiB     10  10.0 KiB   300 us  30.0 us\n");
}

TEST(Report, OneTableAsTextIsExact) {
  EXPECT_EQ(report(test::broken_profile(1), options_of("text", {"rank"})),
            "Incomplete: 4 of 5 ranks reported; missing: 4\n"
            "\n"
            "Ranks\n"
            "% of wall: MPI time as a share of the rank's wall time.\n"
            "                                                         % of            bytes     bytes\n"
            "rank  host        status                wall      MPI    wall  calls      sent  received  in call\n"
            "   0  node1       finalized          10.0 ms  1.00 ms  10.0 %     13  10.0 KiB      16 B  -\n"
            "   1  node1       finalized          10.0 ms  2.00 ms  20.0 %     13      16 B  10.0 KiB  -\n"
            "   2  計算ノード  killed (signal 9)  10.0 ms  3.00 ms  30.0 %      8  20.0 KiB      16 B  MPI_Send\n"
            "   3  計算ノード  finalized          10.0 ms  2.00 ms  20.0 %      8      16 B  20.0 KiB  -\n");
}

TEST(Report, AsMarkdownIsExact) {
  ReportOptions options = options_of("markdown", {"call", "comm"});
  options.top = 2;
  EXPECT_EQ(report(test::sample_profile(), options),
            "## MPI calls by time\n"
            "\n"
            "% of MPI time: share of 8.00 ms that all 4 ranks together spent in MPI. % of rank time: share of 40.0 "
            "ms, the wall times added up of all 4 ranks. Imbalance: 1 - mean / maximum of the ranks' times in the "
            "call.\n"
            "\n"
            "| call | kind | calls | total | % of MPI time | % of rank time | mean | max | p95 | bytes sent | bytes "
            "received | imbalance |\n"
            "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n"
            "| MPI_Allreduce | collective | 8 | 4.00 ms | 50.0 % | 10.0 % | 500 us | 600 us | 500 us | 64 B | 64 B | "
            "33.3 % |\n"
            "| MPI_Recv | point-to-point | 15 | 1.50 ms | 18.8 % | 3.8 % | 100 us | 600 us | 500 us | 0 B | 30.0 KiB "
            "| 53.1 % |\n"
            "\n"
            "... and 2 more\n"
            "\n"
            "## Communicators by time\n"
            "\n"
            "% of MPI time: share of 8.00 ms that all 4 ranks together spent in MPI. Bytes: sent.\n"
            "\n"
            "| id | name | size | calls | total | % of MPI time | bytes |\n"
            "| ---: | --- | ---: | ---: | ---: | ---: | ---: |\n"
            "| 0 | MPI_COMM_WORLD | 4 | 36 | 5.50 ms | 68.8 % | 30.0 KiB |\n"
            "| 2 | \\\\x1b\\[31mred\\\\x0d\\\\x0aline | 4 | 4 | 1.50 ms | 18.8 % | 0 B |\n"
            "\n"
            "... and 1 more\n");
}

TEST(Report, AsCsvIsExact) {
  EXPECT_EQ(report(test::sample_profile(), options_of("csv", {"comm"})),
            "id,world,name,size,remote_size,merged,calls,total_ns,share_of_mpi_time,bytes,rank_list\r\n"
            "0,0,MPI_COMM_WORLD,4,0,0,36,5500000,0.6875,30768,\r\n"
            "2,0,\"\\x1b[31mred\r\n"
            "line\",4,0,0,4,1500000,0.1875,0,\r\n"
            "1,0,\"a|b `c` <i>\"\"d\"\", e</i>\",2,0,0,2,1000000,0.125,16,\r\n");
}

TEST(Report, AsCsvWithoutByIsByCallInFull) {
  const model::Profile profile = test::sample_profile();
  EXPECT_EQ(report(profile, options_of("csv")), report(profile, options_of("csv", {"call"})));
}

TEST(Report, AsJsonIsExact) {
  ReportOptions options = options_of("json", {"peer"});
  options.ranks = "0-1";
  options.top = 1;
  EXPECT_EQ(report(test::broken_profile(1), options),
            "{\n"
            "  \"headline\": {\n"
            "    \"command\": [\n"
            "      \"mpiexec\",\n"
            "      \"-n\",\n"
            "      \"4\",\n"
            "      \"./heat\",\n"
            "      \"it's hot\"\n"
            "    ],\n"
            "    \"label\": \"\",\n"
            "    \"tags\": {},\n"
            "    \"batch\": {},\n"
            "    \"started\": \"2024-05-01T12:00:00Z\",\n"
            "    \"mpi_library\": \"Open MPI v4.1.4, package: Debian OpenMPI, ident: 4.1.4\",\n"
            "    \"exit_status\": 137,\n"
            "    \"complete\": false,\n"
            "    \"worlds\": 1,\n"
            "    \"hosts\": 1,\n"
            "    \"ranks\": 2,\n"
            "    \"expected_ranks\": 5,\n"
            "    \"reported_ranks\": 4,\n"
            "    \"wall_ns\": 10000000,\n"
            "    \"mpi_ns\": 3000000,\n"
            "    \"mpi_share\": 0.15,\n"
            "    \"parallel_efficiency\": 0.85,\n"
            "    \"load_balance\": 0.9444444444444444,\n"
            "    \"communication_efficiency\": 0.9,\n"
            "    \"calls\": 26,\n"
            "    \"bytes_sent\": 10272,\n"
            "    \"bytes_received\": 10272,\n"
            "    \"p2p_messages\": 10,\n"
            "    \"p2p_bytes\": 10240,\n"
            "    \"bytes_inside_nodes\": 20480,\n"
            "    \"rma_messages\": 4,\n"
            "    \"rma_bytes\": 10240,\n"
            "    \"overhead_ns\": 600,\n"
            "    \"overhead_share\": 0.0002\n"
            "  },\n"
            "  \"denominators\": {\n"
            "    \"mpi_time_ns\": 3000000,\n"
            "    \"rank_time_ns\": 20000000,\n"
            "    \"bytes\": 20480\n"
            "  },\n"
            "  \"by_peer\": [\n"
            "    {\n"
            "      \"layer\": \"point-to-point\",\n"
            "      \"world\": 0,\n"
            "      \"src\": 0,\n"
            "      \"dst\": 1,\n"
            "      \"messages\": 10,\n"
            "      \"bytes\": 10240,\n"
            "      \"mean_bytes\": 1024.0,\n"
            "      \"share_of_bytes\": 0.5,\n"
            "      \"src_host\": \"node1\",\n"
            "      \"dst_host\": \"node1\"\n"
            "    }\n"
            "  ],\n"
            "  \"left_out\": {},\n"
            "  \"warnings\": [\n"
            "    {\n"
            "      \"id\": \"warning-0\",\n"
            "      \"text\": \"The file of rank 0 could not be read: it ends in the middle of a number, which is what "
            "a full disk leaves; free some space and run again, or look at what is left with --keep-dumps.\"\n"
            "    }\n"
            "  ]\n"
            "}\n");
}

TEST(Report, OverviewHasItsBounds) {
  const std::string text = report(many_ranks(40), options_of("text"));
  EXPECT_TRUE(contains(text, "wall time. Shown: those with the most MPI time.\n"));
  EXPECT_TRUE(contains(text, "... and 24 more (--by rank --top 0 shows all)\n"));
  EXPECT_TRUE(contains(text, "\n  39  node39 "));
  EXPECT_TRUE(contains(text, "\n  24  node24 "));
  EXPECT_FALSE(contains(text, "\n  23  node23 "));
  EXPECT_TRUE(contains(report(many_ranks(40), options_of("text", {"rank"})), "\n   0  node0 "));
}

TEST(Report, TextIsNeverWiderThanItMayBe) {
  for (int width : {40, 80, 100}) {
    ReportOptions options = options_of("text");
    options.style.width = width;
    std::istringstream lines(report(test::broken_profile(10), options));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(support::display_width(line), width) << line;
  }
}

TEST(Report, SortTopAndColumns) {
  ReportOptions options = options_of("csv", {"call"});
  options.sort = "max";
  options.columns = {"calls", "call", "TOTAL"};
  options.top = 1;
  options.include = "Recv|Send";
  EXPECT_EQ(report(test::sample_profile(), options), "calls,call,total_ns\r\n15,MPI_Recv,1500000\r\n");
  options.sort = "bytes_sent";
  EXPECT_EQ(report(test::sample_profile(), options), "calls,call,total_ns\r\n15,MPI_Send,1000000\r\n");
}

TEST(Report, ColumnsApplyToTheTablesThatHaveThem) {
  ReportOptions options = options_of("text", {"rank", "peer"});
  options.columns = {"rank", "wall"};
  options.sort = "messages";
  options.top = 1;
  options.style.width = 200;
  EXPECT_EQ(report(test::sample_profile(), options),
            "Ranks\n"
            "% of wall: MPI time as a share of the rank's wall time.\n"
            "rank     wall\n"
            "   0  10.0 ms\n"
            "... and 3 more (--by rank --top 0 shows all)\n"
            "\n"
            "Peers by bytes\n"
            "% of bytes: share of the 40.0 KiB that point-to-point and one-sided calls of all 4 ranks moved. "
            "Collectives are not in this table.\n"
            "                from    to                                             from   to\n"
            "layer           rank  rank  messages     bytes  mean size  % of bytes  host   host\n"
            "point-to-point     0     1        10  10.0 KiB   1.00 KiB      25.0 %  node1  node1\n"
            "... and 2 more (--by peer --top 0 shows all)\n");
}

TEST(Report, WithRanksSaysSoAndLeavesOutWhatItCannotKnow) {
  ReportOptions options = options_of("text");
  options.ranks = "2";
  const std::string text = report(test::sample_profile(), options);
  EXPECT_TRUE(contains(text, "\n1 of 4 ranks on 1 host, "));
  EXPECT_TRUE(contains(text, "\nRanks 2: 1 of 4; all numbers are theirs.\n"));
  EXPECT_TRUE(contains(text, "% of MPI time: share of 3.00 ms that 1 of 4 ranks spent in MPI."));
  EXPECT_TRUE(contains(text, "\nTable by size left out: --ranks does not apply, it is kept for all ranks together\n"));
  EXPECT_TRUE(contains(text, "\nTable by comm left out: "));
  EXPECT_FALSE(contains(text, "MPI_Recv"));
  EXPECT_EQ(error_of([] {
              ReportOptions bad = options_of("text", {"size"});
              bad.ranks = "2";
              return bad;
            }()),
            "--by size: --ranks does not apply, it is kept for all ranks together");
}

TEST(Report, WithProceduresRefusesPeers) {
  ReportOptions options = options_of("json", {"peer"});
  options.include = "Send";
  EXPECT_EQ(error_of(options), "--by peer: --include and --exclude do not apply, it does not tell procedures apart");
}

TEST(Report, AllRanksByNameAreAll) {
  ReportOptions options = options_of("csv", {"size"});
  const std::string all = report(test::sample_profile(), options);
  options.ranks = "0-3";
  EXPECT_EQ(report(test::sample_profile(), options), all);
}

TEST(Report, ErrorsNameTheOptionAndTheChoices) {
  EXPECT_EQ(error_of(options_of("pdf")), "--format pdf: no such format. Formats: text, markdown, csv, json, html");
  EXPECT_EQ(error_of(options_of("text", {"calls"})),
            "--by calls: no such table; did you mean \"call\"? Tables: call, spread, rank, heat, peer, comm, size, callsite, region, wait, delay, path");
  EXPECT_EQ(error_of(options_of("text", {"x\x1b"})),
            "--by x\\x1b: no such table. Tables: call, spread, rank, heat, peer, comm, size, callsite, region, wait, delay, path");
  EXPECT_EQ(error_of(options_of("text", {"region"})), "--by region: the profile has no regions");
  EXPECT_EQ(error_of(options_of("csv", {"call", "rank"})),
            "--format csv holds one table, --by asks for 2 (call, rank); use --format json, or one --by");
  ReportOptions options = options_of("text", {"peer"});
  options.columns = {"src", "mesages"};
  EXPECT_EQ(error_of(options),
            "--columns mesages: no such column; did you mean \"messages\"? Columns: layer, world, src, dst, messages, bytes, "
            "mean_bytes, share_of_bytes, src_host, dst_host");
  options.columns.clear();
  options.sort = "zzz";
  EXPECT_EQ(error_of(options),
            "--sort zzz: no such column. Columns: layer, world, src, dst, messages, bytes, mean_bytes, share_of_bytes, src_host, dst_host");
  options.sort.clear();
  options.top = -2;
  EXPECT_EQ(error_of(options), "--top -2: must be 0 (all rows) or more");
  options.top = -1;
  options.ranks = "0-";
  EXPECT_EQ(error_of(options), "--ranks 0-: \"0-\" is no rank and no range of ranks; write it as in 0-3,8");
}

TEST(Report, OfAProgramWithoutMpi) {
  model::Profile profile;
  profile.metadata.command = {"/bin/true"};
  EXPECT_EQ(report(profile, {}), "Profile of /bin/true\nNo MPI calls: the program never called MPI_Init (exit status 0).\n");
  EXPECT_EQ(report(profile, options_of("csv", {"size"})), "call,bytes_from,bytes_to,calls,bytes,total_ns,mean_ns,rank_list\r\n");
}

TEST(Report, SaysThatThreadsOverlap) {
  model::Profile profile = test::sample_profile();
  profile.ranks[1].threads = 2;
  EXPECT_TRUE(contains(report(profile, options_of("markdown", {"call"})), "shares may add up to more than 100 %"));
  EXPECT_FALSE(contains(report(test::sample_profile(), options_of("markdown", {"call"})), "more than 100 %"));
}

TEST(Report, FormatOfFileIsByItsEnding) {
  EXPECT_EQ(render::format_of_file("a/b.md"), "markdown");
  EXPECT_EQ(render::format_of_file("b.txt"), "text");
  EXPECT_EQ(render::format_of_file("b.csv"), "csv");
  EXPECT_EQ(render::format_of_file("b.json"), "json");
  EXPECT_EQ(render::format_of_file("b.html"), "html");
  EXPECT_EQ(render::format_of_file("csv"), "");
}

}  // namespace
