#include "render/document.hpp"

#include <gtest/gtest.h>

#include "render/coverage.hpp"
#include "support/error.hpp"

namespace {

using namespace scope::render;

const Style plain_style{false, true, 0};

const std::vector<scope::model::CoverageRow> rows{{"MPI_Send", true, "point-to-point", "sent", ""},
                                                  {"MPI_Wtime", false, "", "", "a clock, itself"}};

TEST(CoverageDocument, CountsWhatItShows) {
  EXPECT_EQ(document(coverage_document(rows), "text", plain_style),
            "1 procedures timed, 1 not\n"
            "\n"
            "MPI procedures\n"
            "Procedure  Kind            Timed  Bytes counted, or why not timed\n"
            "MPI_Send   point-to-point  yes    sent\n"
            "MPI_Wtime  -               no     a clock, itself\n");
}

TEST(CoverageDocument, KeepsReasonsApartForPrograms) {
  EXPECT_EQ(document(coverage_document(rows), "csv", plain_style),
            "name,kind,timed,bytes,reason\r\n"
            "MPI_Send,point-to-point,yes,sent,\r\n"
            "MPI_Wtime,,no,,\"a clock, itself\"\r\n");
  EXPECT_EQ(document(coverage_document({rows[1]}), "json", plain_style),
            "{\n  \"timed\": 0,\n  \"not_timed\": 1,\n  \"procedures\": [\n    {\n      \"name\": \"MPI_Wtime\",\n"
            "      \"kind\": null,\n      \"timed\": \"no\",\n      \"bytes\": null,\n      \"reason\": \"a clock, itself\"\n"
            "    }\n  ]\n}\n");
}

Document sample() {
  Document result;
  result.headline = "A *headline*";
  result.facts = {{"works", false}, {"count", std::int64_t{3}}, {"version", std::string("1.0")}};
  Table table;
  table.name = "things";
  table.title = "Things";
  table.columns = {{"name", "Name"}};
  table.rows = {{Cell{std::string("a|b"), ""}}};
  Table empty = table;
  empty.name = "others";
  empty.title = "Others";
  empty.rows.clear();
  result.tables = {table, empty};
  result.remarks = {{"problems", "Problems", {{"id-1", "One\x1b[1m."}}, true}, {"hints", "Hints", {}, false}};
  result.conclusion = "The end";
  return result;
}

TEST(Document, TextLeavesOutWhatIsEmptyAndEscapes) {
  EXPECT_EQ(document(sample(), "text", plain_style),
            "A *headline*\n\nThings\nName\na|b\n\nProblems\n- One\\x1b[1m.\n\nThe end\n");
  EXPECT_EQ(document(Document{}, "text", plain_style), "");
}

TEST(Document, Markdown) {
  EXPECT_EQ(document(sample(), "markdown", plain_style),
            "# A \\*headline\\*\n\n## Things\n\n| Name |\n| --- |\n| a\\|b |\n\n## Problems\n\n- One\\\\x1b\\[1m.\n\nThe end\n");
}

TEST(Document, JsonHasEverything) {
  EXPECT_EQ(document(sample(), "json", plain_style),
            "{\n  \"works\": false,\n  \"count\": 3,\n  \"version\": \"1.0\",\n"
            "  \"things\": [\n    {\n      \"name\": \"a|b\"\n    }\n  ],\n  \"others\": [],\n"
            "  \"problems\": [\n    {\n      \"id\": \"id-1\",\n      \"text\": \"One\\u001b[1m.\"\n    }\n  ],\n"
            "  \"hints\": []\n}\n");
}

TEST(Document, CsvHoldsOneTable) {
  try {
    document(sample(), "csv", plain_style);
    FAIL() << "no error";
  } catch (const scope::support::Error &error) {
    EXPECT_STREQ(error.what(), "--format csv holds one table, and there are 2 here; use --format json.");
  }
}

}  // namespace
