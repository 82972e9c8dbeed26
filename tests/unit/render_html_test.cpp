#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "render/html_escape.hpp"
#include "render/html_table.hpp"
#include "render/report.hpp"
#include "render/report_assets.hpp"
#include "sample_profile.hpp"

namespace {

using namespace scope;

std::string page_of(const model::Profile &profile, const std::string &ranks = "", std::vector<std::string> by = {}) {
  render::ReportOptions options;
  options.format = "html";
  options.ranks = ranks;
  options.by = std::move(by);
  return render::report(profile, options);
}

bool contains(const std::string &text, const std::string &part) { return text.find(part) != std::string::npos; }

std::size_t count(const std::string &text, const std::string &part) {
  std::size_t number = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++number;
  return number;
}

nlohmann::json data_of(const std::string &page) {
  const std::string start = "<script type=\"application/json\" id=\"data\">";
  const std::size_t begin = page.find(start) + start.size();
  return nlohmann::json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

TEST(HtmlEscape, LeavesNoMarkup) {
  EXPECT_EQ(render::escape_html("<a href=\"x\">'&'</a>"), "&lt;a href=&quot;x&quot;&gt;&#39;&amp;&#39;&lt;/a&gt;");
  EXPECT_EQ(render::escape_html("a\x1b\n\xff"), "a\\x1b\\x0a\xef\xbf\xbd");
  EXPECT_EQ(render::json_for_script(R"({"a":"</script><!--"})"), R"({"a":"\u003c/script>\u003c!--"})");
}

TEST(HtmlTable, IsExact) {
  render::Table table{"call", "Calls <1>", "", {{"call", "call"}, {"total_ns", "to\ntal", render::Type::ns}, {"x", "share", render::Type::ratio, false}}, {}, 0};
  table.rows.push_back({{std::string("MPI_<Send>"), ""}, {std::int64_t{1500}, ""}, {0.125, ""}});
  table.rows.push_back({{std::string("b"), ""}, {}, {}});
  EXPECT_EQ(render::html_table(table),
            "<table id=\"table-call\" data-table=\"call\"><caption>Calls &lt;1&gt;</caption>\n"
            "<thead><tr><th scope=\"col\" class=\"t\" data-key=\"call\">call</th><th scope=\"col\" class=\"n\" data-key=\"total_ns\">to tal</th>"
            "<th scope=\"col\" class=\"n extra\" data-key=\"x\">share</th></tr></thead>\n<tbody>\n"
            "<tr data-call=\"MPI_&lt;Send&gt;\"><th scope=\"row\" class=\"t\">MPI_&lt;Send&gt;</th><td class=\"n\" data-v=\"1500\">1.50 us</td>"
            "<td class=\"n bar extra\" data-v=\"0.125\" style=\"--v:12.50%\">12.5 %</td></tr>\n"
            "<tr data-call=\"b\"><th scope=\"row\" class=\"t\">b</th><td class=\"n\" data-v=\"\">-</td><td class=\"n bar extra\" data-v=\"\">-</td></tr>\n"
            "</tbody></table>");
}

TEST(HtmlTable, FoldsLongTextAndKeepsAllOfIt) {
  const std::string name(10'000, 'n');
  const std::string html = render::html_data(name);
  EXPECT_TRUE(html.starts_with("<details class=\"long\"><summary>nnn"));
  EXPECT_TRUE(contains(html, "</summary>" + name + "</details>"));
  EXPECT_EQ(render::html_data(std::string(160, 'n')), std::string(160, 'n'));
}

TEST(ReportHtml, HoldsTheTablesOfTheTextReport) {
  const std::string page = page_of(test::sample_profile());
  for (const char *table : {"call", "rank", "peer", "size", "comm"}) EXPECT_EQ(count(page, "<table id=\"table-" + std::string(table) + "\""), 1U) << table;
  EXPECT_TRUE(contains(page, "<strong>80.0 %</strong>"));
  EXPECT_TRUE(contains(page, "<th scope=\"row\">Load balance</th><td class=\"n\">88.9 %</td>"));
  EXPECT_TRUE(contains(page, "<tr data-call=\"MPI_Recv\"><th scope=\"row\" class=\"t\">MPI_Recv</th>"));
  EXPECT_TRUE(contains(page, "<title>Profile of mpiexec -n 4 ./heat &#39;it&#39;\\&#39;&#39;s hot&#39;</title>"));
  EXPECT_TRUE(contains(page, "Call sites: record them with scope-profiler run --mpi-calls --callsites."));
}

TEST(ReportHtml, DataBlockHoldsExactValues) {
  const nlohmann::json data = data_of(page_of(test::sample_profile()));
  EXPECT_EQ(data["ranks"]["rank"], nlohmann::json({0, 1, 2, 3}));
  EXPECT_EQ(data["ranks"]["hosts"], nlohmann::json({"node1", test::wide_host}));
  EXPECT_EQ(data["ranks"]["host"], nlohmann::json({0, 0, 1, 1}));
  EXPECT_EQ(data["ranks"]["mpi_ns"], nlohmann::json({1'000'000, 2'000'000, 3'000'000, 2'000'000}));
  EXPECT_EQ(data["calls"][0]["call"], "MPI_Allreduce");
  EXPECT_EQ(data["calls"][0]["per_rank"]["total_ns"], nlohmann::json({500'000, 1'000'000, 1'500'000, 1'000'000}));
  EXPECT_EQ(data["peers"]["p2p"]["bytes"], nlohmann::json({10'240, 20'480}));
  EXPECT_EQ(data["peers"]["rma"]["dst"], nlohmann::json::array({0}));
  EXPECT_EQ(data["sizes"].size(), 3U);
  EXPECT_FALSE(data.contains("regions"));
}

TEST(ReportHtml, OfSomeRanksHoldsOnlyTheirs) {
  const std::string page = page_of(test::sample_profile(), "1,2");
  const nlohmann::json data = data_of(page);
  EXPECT_EQ(data["ranks"]["rank"], nlohmann::json({1, 2}));
  EXPECT_EQ(data["calls"][0]["per_rank"]["calls"], nlohmann::json({2, 2}));
  EXPECT_EQ(data["peers"]["p2p"]["src"], nlohmann::json({2}));
  EXPECT_FALSE(data.contains("sizes"));
  EXPECT_TRUE(contains(page, "Left out: --ranks does not apply, it is kept for all ranks together."));
}

TEST(ReportHtml, ByHoldsOnlyWhatWasAskedFor) {
  const std::string page = page_of(test::sample_profile(), "", {"size"});
  EXPECT_TRUE(contains(page, "<table id=\"table-size\""));
  EXPECT_FALSE(contains(page, "<table id=\"table-call\""));
  EXPECT_FALSE(data_of(page).contains("calls"));
}

TEST(ReportHtml, NamesStayText) {
  const std::string evil = "</script><script>alert(1)</script>{{data}}";
  model::Profile profile = test::sample_profile();
  profile.metadata.command = {evil};
  profile.ranks[0].host = profile.communicators[0].name = profile.calls[0].name = evil;
  profile.warnings.push_back({evil, evil});
  const std::string page = page_of(profile);
  EXPECT_EQ(count(page, "</script>"), 3U);  // data, d3, the page's
  EXPECT_EQ(count(page, "<script"), 3U);
  EXPECT_EQ(data_of(page)["ranks"]["hosts"][0], evil);
  EXPECT_EQ(data_of(page)["calls"][0]["call"], evil);
}

TEST(ReportHtml, OfAProgramWithoutMpiSaysSo) {
  model::Profile profile;
  profile.metadata.command = {"/bin/true"};
  const std::string page = page_of(profile);
  EXPECT_TRUE(contains(page, "<p class=\"alert\">No MPI calls: the program never called MPI_Init (exit status 0).</p>"));
  EXPECT_TRUE(contains(page, "<section id=\"run\""));
  EXPECT_FALSE(contains(page, "<section id=\"calls\""));
}

TEST(ReportHtml, ShowsFindingsAndWhoIsMissing) {
  model::Profile profile = test::broken_profile(1);
  profile.findings = {{"late-sender", "high", "Rank 1 <waits>.", {}, 1.25}, {"x", "info", "It <is>. It was seen. Next: look.", {}, 0}};
  const std::string page = page_of(profile);
  EXPECT_TRUE(contains(page, "<li class=\"finding\" data-id=\"late-sender\"><span class=\"severity\">high, 1.250 s lost</span> Rank 1 &lt;waits&gt;.</li>"));
  EXPECT_TRUE(contains(page, "<span class=\"severity\">info</span> <strong>It &lt;is&gt;.</strong><br>It was seen. <br>Next: look.</li>"));
  EXPECT_TRUE(contains(page, "<p class=\"alert\">Incomplete: 4 of 5 ranks reported; missing: 4</p>"));
  EXPECT_TRUE(contains(page, "<li data-id=\"warning-0\"><code>warning-0</code> "));
}

TEST(ReportHtml, TakesAtMost600KilobytesBeyondItsData) {
  const render::ReportAssets assets = render::report_assets();
  EXPECT_LT(assets.page.size() + assets.style.size() + assets.script.size() + assets.d3.size() + assets.licence.size(), 600'000U);
  EXPECT_LT(page_of(test::sample_profile()).size(), 600'000U);
  EXPECT_FALSE(contains(std::string(assets.script) + std::string(assets.d3), "</script"));
}

TEST(ReportHtml, AsksNothingOfAnyServer) {
  const std::string page = page_of(test::sample_profile());
  EXPECT_TRUE(contains(page, "content=\"default-src 'none';"));
  for (const char *part : {" src=", "<link", "@import", "url(http"}) EXPECT_FALSE(contains(page, part)) << part;
}

}  // namespace
