#include "render/table.hpp"

#include <gtest/gtest.h>

#include <sstream>

#include "support/text.hpp"

namespace {

using namespace scope;
using namespace scope::render;

Table sample() {
  Table table;
  table.name = "call";
  table.columns = {{"name", "name"},
                   {"host", "host", Type::text, true, 2},
                   {"rank", "rank", Type::id},
                   {"calls", "calls", Type::count},
                   {"total_ns", "total", Type::ns},
                   {"share", "% of\ntime", Type::ratio, true, 1},
                   {"bytes", "bytes", Type::bytes, false}};
  table.rows = {
      {{"=a,\"b\"|", ""}, {"計算", ""}, {std::int64_t{7}, ""}, {std::int64_t{1234567}, ""}, {1500.0, ""}, {0.125, ""},
       {std::int64_t{2048}, ""}},
      {{"x\x1b[1m\n", ""}, {"", ""}, {std::int64_t{1000}, ""}, {std::int64_t{5}, ""}, {}, {1.0, ""}, {std::int64_t{1}, "few"}},
      {{"a_rather_long_name_for_a_cell", ""}, {"node", ""}, {std::int64_t{12}, ""}, {std::int64_t{5}, ""},
       {std::int64_t{2000000000}, ""}, {0.0, ""}, {}},
  };
  return table;
}

Style style_of(int width) { return {false, true, width}; }

using Strings = std::vector<std::string>;

Strings first_cells(const Table &table) {
  Strings cells;
  for (const Row &row : table.rows) cells.push_back(cell_text(row[0], Type::text).substr(0, 1));
  return cells;
}

TEST(TextTable, AlignsWideAndEscapedCells) {
  EXPECT_EQ(text_table(sample(), style_of(0)),
            "                                                                  % of\n"
            "name                           host  rank      calls    total     time\n"
            "=a,\"b\"|                        計算     7  1,234,567  1.50 us   12.5 %\n"
            "x\\x1b[1m\\x0a                         1000          5        -  100.0 %\n"
            "a_rather_long_name_for_a_cell  node    12          5  2.000 s    0.0 %\n");
}

TEST(TextTable, ShortensNamesThenDropsColumns) {
  Strings dropped;
  EXPECT_EQ(text_table(sample(), style_of(66), &dropped),
            "                                                              % of\n"
            "name                       host  rank      calls    total     time\n"
            "=a,\"b\"|                    計算     7  1,234,567  1.50 us   12.5 %\n"
            "x\\x1b[1m\\x0a                     1000          5        -  100.0 %\n"
            "a_rather_lon…e_for_a_cell  node    12          5  2.000 s    0.0 %\n");
  EXPECT_TRUE(dropped.empty());
  EXPECT_EQ(text_table(sample(), style_of(42), &dropped),
            "name              rank      calls    total\n"
            "=a,\"b\"|              7  1,234,567  1.50 us\n"
            "x\\x1b[1m\\x0a      1000          5        -\n"
            "a_rather…_a_cell    12          5  2.000 s\n");
  EXPECT_EQ(dropped, (Strings{"host", "% of time"}));  // the highest priority first
}

TEST(TextTable, UsesNoUnicodeOfItsOwnWhereThereIsNone) {
  Style style = style_of(66);
  style.unicode = false;
  EXPECT_NE(text_table(sample(), style).find("a_rather_lon~"), std::string::npos);
}

TEST(TextTable, IsNeverWiderThanItMayBe) {
  for (int width = 40; width <= 120; ++width) {
    std::istringstream lines(text_table(sample(), style_of(width)));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(support::display_width(line), width) << line;
  }
}

TEST(TextTable, EmphasisesTheHeaderOnly) {
  Table table = sample();
  choose_columns(table, {2});
  Style style = style_of(80);
  style.color = true;
  EXPECT_EQ(text_table(table, style), "\x1b[1mrank\x1b[0m\n   7\n1000\n  12\n");
}

TEST(MarkdownTable, IsExact) {
  EXPECT_EQ(markdown_table(sample()),
            "| name | host | rank | calls | total | % of time |\n"
            "| --- | --- | ---: | ---: | ---: | ---: |\n"
            "| =a,\"b\"\\| | 計算 | 7 | 1,234,567 | 1.50 us | 12.5 % |\n"
            "| x\\\\x1b\\[1m\\\\x0a |  | 1000 | 5 | - | 100.0 % |\n"
            "| a_rather_long_name_for_a_cell | node | 12 | 5 | 2.000 s | 0.0 % |\n");
}

TEST(CsvTable, IsExact) {
  EXPECT_EQ(csv_table(sample()),
            "name,host,rank,calls,total_ns,share,bytes\r\n"
            "\"'=a,\"\"b\"\"|\",計算,7,1234567,1500,0.125,2048\r\n"
            "\"x\\x1b[1m\n\",,1000,5,,1,1\r\n"
            "a_rather_long_name_for_a_cell,node,12,5,2000000000,0,\r\n");
}

TEST(CsvTable, NumbersReadBackAsTheSame) {
  Table table;
  table.columns = {{"ratio", "ratio", Type::ratio}};
  table.rows = {{{0.1 + 0.2, ""}}, {{1.0 / 3, ""}}, {{1e-9, ""}}, {{5e5, ""}}};
  EXPECT_EQ(csv_table(table), "ratio\r\n0.30000000000000004\r\n0.3333333333333333\r\n1e-09\r\n500000\r\n");
}

TEST(Columns, AreFoundByKeyShortKeyAndTitle) {
  const Table table = sample();
  EXPECT_EQ(find_column(table, "total_ns"), 4u);
  EXPECT_EQ(find_column(table, "total"), 4u);
  EXPECT_EQ(find_column(table, "TOTAL"), 4u);
  EXPECT_EQ(find_column(table, "% of time"), 5u);
  EXPECT_EQ(find_column(table, "bytes"), 6u);
  EXPECT_EQ(find_column(table, "tot"), table.columns.size());
  EXPECT_EQ(find_column(table, ""), table.columns.size());
}

TEST(Columns, AreChosenInOrder) {
  Table table = sample();
  choose_columns(table, {6, 2});
  EXPECT_EQ(csv_table(table), "bytes,rank\r\n2048,7\r\n1,1000\r\n,12\r\n");
  EXPECT_EQ(text_table(table, style_of(80)), "   bytes  rank\n2.00 KiB     7\n     few  1000\n       -    12\n");
}

TEST(Rows, AreSortedByValue) {
  Table table = sample();
  sort_rows(table, 3);  // a count: largest first, equal ones in order
  EXPECT_EQ(first_cells(table), (Strings{"=", "x", "a"}));
  sort_rows(table, 2);  // an id: ascending
  EXPECT_EQ(first_cells(table), (Strings{"=", "a", "x"}));
  sort_rows(table, 4);  // reals and integers; not known: last
  EXPECT_EQ(first_cells(table), (Strings{"a", "=", "x"}));
  sort_rows(table, 0);
  EXPECT_EQ(first_cells(table), (Strings{"=", "a", "x"}));
}

TEST(Rows, AreKept) {
  Table table = sample();
  keep_rows(table, 3);
  EXPECT_EQ(table.more, 0u);
  keep_rows(table, 1);
  EXPECT_EQ(table.more, 2u);
  EXPECT_EQ(first_cells(table), (Strings{"="}));
}

TEST(TextTable, BarsStandAtTheEndOfLinesWhereThereIsRoom) {
  Table table = sample();
  table.bar = "share";
  Style style = style_of(0);
  style.charts = true;
  EXPECT_EQ(text_table(table, style),
            "                                                                  % of\n"
            "name                           host  rank      calls    total     time\n"
            "=a,\"b\"|                        計算     7  1,234,567  1.50 us   12.5 %  █▎\n"
            "x\\x1b[1m\\x0a                         1000          5        -  100.0 %  ██████████\n"
            "a_rather_long_name_for_a_cell  node    12          5  2.000 s    0.0 %\n");
  style.unicode = false;
  EXPECT_NE(text_table(table, style).find("100.0 %  ##########\n"), std::string::npos);
  EXPECT_NE(text_table(table, style).find("12.5 %  #\n"), std::string::npos);
  for (const int width : {40, 71, 72, 80, 90}) {
    style.width = width;
    std::istringstream lines(text_table(table, style));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(support::display_width(line), width) << line;
    EXPECT_EQ(text_table(table, style).find("##") != std::string::npos, width >= 72) << width;
  }
  style.charts = false;
  style.width = 0;
  EXPECT_EQ(text_table(table, style), text_table(sample(), style));
}

TEST(TextTable, ShadesCompareWithTheLargest) {
  Table table;
  table.columns = {{"rank", "rank", Type::id}, {"a", "a", Type::ratio, true, 0, true}, {"b", "b", Type::ratio, true, 0, true}, {"all", "all", Type::ratio}};
  table.rows = {{{std::int64_t{0}, ""}, {0.5, ""}, {0.0, ""}, {0.9, ""}},
                {{std::int64_t{1}, ""}, {0.25, ""}, {0.1, ""}, {0.9, ""}},
                {{std::int64_t{2}, ""}, {0.3, ""}, {}, {0.9, ""}}};
  Style style = style_of(0);
  EXPECT_EQ(text_table(table, style), "rank       a       b     all\n   0  50.0 %   0.0 %  90.0 %\n   1  25.0 %  10.0 %  90.0 %\n   2  30.0 %       -  90.0 %\n");
  style.charts = true;
  EXPECT_EQ(text_table(table, style), "rank         a         b     all\n   0  █ 50.0 %     0.0 %  90.0 %\n   1  ▒ 25.0 %  ░ 10.0 %  90.0 %\n   2  ▓ 30.0 %         -  90.0 %\n");
  style.unicode = false;
  EXPECT_EQ(text_table(table, style), "rank         a         b     all\n   0  # 50.0 %     0.0 %  90.0 %\n   1  : 25.0 %  . 10.0 %  90.0 %\n   2  * 30.0 %         -  90.0 %\n");
}

}  // namespace
