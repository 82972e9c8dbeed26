// Names that come from a run are data: every hostile text, in every place of a profile, in every format that shows it.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <functional>

#include "analyze/stall.hpp"
#include "render/document.hpp"
#include "render/escape.hpp"
#include "render/report.hpp"
#include "render/summary.hpp"
#include "render/watch.hpp"
#include "sample_profile.hpp"
#include "support/text.hpp"

using namespace scope;
using namespace scope::render;

namespace {

/// How one text must look. JSON must read back as `json`; the other fields are exact.
struct Hostile {
  std::string data, text, markdown, csv, json, html, github;
};

const std::vector<Hostile> hostile{
    {"say \"hi\", it's", "say \"hi\", it's", "say \"hi\", it's", "\"say \"\"hi\"\", it's\"", "say \"hi\", it's",
     "say &quot;hi&quot;, it&#39;s", "say \"hi\", it's"},
    {"<script>alert(1)</script>", "<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;", "<script>alert(1)</script>",
     "<script>alert(1)</script>", "&lt;script&gt;alert(1)&lt;/script&gt;", "<script>alert(1)</script>"},
    {"\x1b[2J\x1b]0;x\a", "\\x1b[2J\\x1b]0;x\\x07", "\\\\x1b\\[2J\\\\x1b\\]0;x\\\\x07", "\\x1b[2J\\x1b]0;x\\x07", "\x1b[2J\x1b]0;x\a",
     "\\x1b[2J\\x1b]0;x\\x07", "\\x1b[2J\\x1b]0;x\\x07"},
    {"a\nb\rc", "a\\x0ab\\x0dc", "a\\\\x0ab\\\\x0dc", "\"a\nb\rc\"", "a\nb\rc", "a\\x0ab\\x0dc", "a%0Ab%0Dc"},
    {"a|b`c`*d*[e](f)", "a|b`c`*d*[e](f)", "a\\|b\\`c\\`\\*d\\*\\[e\\](f)", "a|b`c`*d*[e](f)", "a|b`c`*d*[e](f)", "a|b`c`*d*[e](f)",
     "a|b`c`*d*[e](f)"},
    {"::error::100 %", "\\x3a:error::100 %", "\\\\x3a:error::100 %", "\\x3a:error::100 %", "::error::100 %", "\\x3a:error::100 %",
     "\\x3a:error::100 %25"},
    {"##[error]x", "#\\x23[error]x", "#\\\\x23\\[error\\]x", "#\\x23[error]x", "##[error]x", "#\\x23[error]x", "#\\x23[error]x"},
    {"=cmd|'/C calc'!A1", "=cmd|'/C calc'!A1", "=cmd\\|'/C calc'!A1", "'=cmd|'/C calc'!A1", "=cmd|'/C calc'!A1",
     "=cmd|&#39;/C calc&#39;!A1", "=cmd|'/C calc'!A1"},
    {"x\xff\xc0\xafy", "x\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdy", "x\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdy",
     "x\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdy", "x\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdy", "x\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdy",
     "x\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbdy"},
    {"a\xc2\x9b\x7fz\xe2\x80\xae", "a\\x9b\\x7fz\\u202e", "a\\\\x9b\\\\x7fz\\\\u202e", "a\\x9b\\x7fz\\u202e", "a\xc2\x9b\x7fz\xe2\x80\xae",
     "a\\x9b\\x7fz\\u202e", "a\\x9b\\x7fz\\u202e"}};

/// Where a text of a run goes into a profile, and which views show it. `in_csv`: the table that has it as a cell.
struct Place {
  const char *name;
  std::function<void(model::Profile &, const std::string &)> put;
  bool in_text = true;   ///< shown to people as a word of its own; an argument is quoted for a shell, a tag follows "key="
  const char *in_csv = "";
  const char *json_pointer = "";  ///< of --format json
};

model::Profile with_region() {
  model::Profile profile = test::sample_profile();
  model::RegionRow region;
  region.name = region.path = "solve";
  region.calls = 1;
  region.total_ns = 10;
  region.per_rank = {{1, 0, 0, 0}, {10, 0, 0, 0}, {0, 0, 0, 0}, {0, 0, 0, 0}};
  region.source_file = "solve.c";
  profile.regions = {region};
  return profile;
}

const std::vector<Place> places{
    {"label", [](auto &p, const auto &x) { p.metadata.label = x; }, true, "", "/headline/label"},
    {"tag", [](auto &p, const auto &x) { p.metadata.tags["k"] = x; }, false, "", "/headline/tags/k"},
    {"argument", [](auto &p, const auto &x) { p.metadata.command[1] = x; }, false, "", "/headline/command/1"},
    {"host", [](auto &p, const auto &x) { p.ranks[0].host = x; }, true, "rank", "/by_rank/0/host"},
    {"communicator", [](auto &p, const auto &x) { p.communicators[1].name = x; }, true, "comm", ""},
    {"region", [](auto &p, const auto &x) { p.regions[0].name = p.regions[0].path = x; }, true, "region", "/by_region/0/path"},
    {"source file", [](auto &p, const auto &x) { p.regions[0].source_file = x; }, false, "region", "/by_region/0/source_file"},
    {"procedure", [](auto &p, const auto &x) { p.calls[0].name = x; }, true, "call", "/by_call/0/call"},
    {"status", [](auto &p, const auto &x) { p.ranks[0].status = x; }, true, "rank", "/by_rank/0/status"},
    {"in call", [](auto &p, const auto &x) { p.ranks[0].in_call = x; }, true, "rank", "/by_rank/0/in_call"},
    {"warning", [](auto &p, const auto &x) { p.warnings = {{"id", x}}; }, true, "", "/warnings/0/text"},
};

/// No line begins with a command of CI, no control character but line feeds, valid UTF-8.
void expect_harmless(const std::string &text, const std::string &where) {
  EXPECT_EQ(support::valid_utf8(text), text) << where;
  EXPECT_EQ(text.find("##["), std::string::npos) << where;
  EXPECT_EQ(text.find("\xc2\x9b"), std::string::npos) << where;
  EXPECT_EQ(text.find("\xe2\x80\xae"), std::string::npos) << where;
  std::size_t begin = 0;
  while (begin < text.size()) {
    std::size_t end = std::min(text.find('\n', begin), text.size());
    std::size_t first = text.find_first_not_of(' ', begin);
    EXPECT_NE(text.compare(std::min(first, text.size()), 2, "::"), 0) << where << text;
    for (std::size_t i = begin; i < end; ++i)
      EXPECT_TRUE(static_cast<unsigned char>(text[i]) >= 0x20 && text[i] != 0x7f) << where << " byte " << i;
    begin = end + 1;
  }
}

std::string shown(const model::Profile &profile, const std::string &format, const std::string &by = "", int width = 0) {
  ReportOptions options;
  options.format = format;
  options.style.width = width;
  if (!by.empty()) options.by = {by};
  return report(profile, options);
}

bool has(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

TEST(HostileNames, InEveryPlaceAndFormat) {
  for (const Hostile &one : hostile) {
    for (const Place &place : places) {
      model::Profile profile = with_region();
      place.put(profile, one.data);
      const std::string where = std::string(place.name) + " " + one.text + ": ";
      const std::string text = shown(profile, "text"), markdown = shown(profile, "markdown"), json = shown(profile, "json");
      expect_harmless(text, where + "text ");
      expect_harmless(shown(profile, "text", "", 60), where + "narrow text ");
      expect_harmless(markdown, where + "markdown ");
      expect_harmless(json, where + "json ");
      expect_harmless(summary(profile, one.data, Style{}), where + "summary ");
      EXPECT_FALSE(has(markdown, "<script")) << where;
      if (place.in_text) {
        EXPECT_TRUE(has(text, one.text)) << where << text;
        EXPECT_TRUE(has(markdown, one.markdown)) << where << markdown;
      }
      if (*place.in_csv) {
        const std::string csv = shown(profile, "csv", place.in_csv);
        EXPECT_TRUE(has(csv, "," + one.csv + ",") || has(csv, "\n" + one.csv + ",") || has(csv, "," + one.csv + "\r\n")) << where << csv;
      }
      if (*place.json_pointer) {
        EXPECT_EQ(nlohmann::json::parse(json).at(nlohmann::json::json_pointer(place.json_pointer)), one.json) << where;
      }
      // The file itself reads back, and is harmless to cat.
      const std::string file = model::to_json(profile);
      expect_harmless(file, where + "file ");
      EXPECT_EQ(model::to_json(model::parse_profile(file, "p.json")), file) << where;
    }
  }
}

TEST(HostileNames, InMarkupOfOthers) {
  for (const Hostile &one : hostile) {
    EXPECT_EQ(escape_html(one.data), one.html);
    EXPECT_EQ(escape_xml(one.data), one.html);
    EXPECT_EQ(escape_github_data(one.data), one.github);
    const std::string property = escape_github_property(one.data);
    EXPECT_EQ(property.find_first_of(":,\r\n"), std::string::npos) << property;
  }
}

TEST(HostileNames, InDocumentsOfDoctor) {
  for (const Hostile &one : hostile) {
    Document document;
    document.headline = document.conclusion = one.data;
    document.tables = {{"files", one.data, "", {{"path", "path"}}, {{{one.data, ""}}}, 0}};
    document.remarks = {{"problems", "Problems", {{"id", one.data}}, true}};
    for (const char *format : {"text", "markdown", "json"}) expect_harmless(render::document(document, format, Style{}), format);
    Style wide;
    wide.width = 0;
    EXPECT_TRUE(has(render::document(document, "text", wide), "- " + one.text + "\n"));
    EXPECT_TRUE(has(render::document(document, "markdown", wide), "- " + one.markdown + "\n"));
    EXPECT_EQ(nlohmann::json::parse(render::document(document, "json", wide))["problems"][0]["text"], one.json);
  }
}

TEST(HostileNames, InWatch) {
  for (const Hostile &one : hostile) {
    analyze::Watched watched;
    analyze::WatchRank rank;
    rank.rank = 0;
    rank.doing = model::Doing::in_call;
    rank.call = "MPI_Recv";
    rank.comm = 3;
    rank.comm_name = rank.host = one.data;
    watched.ranks = {rank};
    watched.states = {{rank, {0}, false, 0, 0}};
    watched.totals.ranks = watched.totals.in_call = 1;
    watched.stall = analyze::StallReport{{one.data}, {one.data}};
    WatchJob job{one.data, "run-1", "now", {one.data}};
    Style wide;
    wide.width = 0;
    const std::string screen = watch_screen(watched, job, {}, wide, 24, "q quits");
    const std::string lines = watch_lines(watched, {}, "12:00:00"), json = watch_json(watched, job, {}, 1, false);
    expect_harmless(screen, "screen ");
    expect_harmless(lines, "lines ");
    expect_harmless(json, "json ");
    EXPECT_TRUE(has(screen, "  " + one.text + "  ")) << screen;
    EXPECT_TRUE(has(lines, " on " + one.text)) << lines;
    EXPECT_EQ(nlohmann::json::parse(json)["ranks"][0]["comm_name"], one.json);
  }
}

}  // namespace
