#include <gtest/gtest.h>

#include "expect_error.hpp"
#include "full_profile.hpp"
#include "json_schema.hpp"
#include "record_builder.hpp"

using namespace scope::test;
using nlohmann::json;

namespace {

using Errors = std::vector<std::string>;

const std::string directory = SCOPE_TEST_DATA "/../../share/schema/";

/// Every path of a key in a document, arrays by their first element.
void add_keys(const json &value, const std::string &path, std::vector<std::string> &keys) {
  if (value.is_array() && !value.empty()) add_keys(value[0], path, keys);
  if (!value.is_object()) return;
  for (const auto &[key, member] : value.items()) {
    keys.push_back(path + "/" + key);
    add_keys(member, path + "/" + key, keys);
  }
}

TEST(Schema, SummaryDescribesWhatIsWritten) {
  JsonSchema schema(directory + "summary.schema.json");
  EXPECT_EQ(schema.root()["$schema"], "https://json-schema.org/draft/2020-12/schema");
  EXPECT_EQ(schema.errors(json::parse(to_json(full_profile()))), Errors{});
  EXPECT_EQ(schema.errors(json::parse(to_json(scope::model::Profile{}))), Errors{});
}

TEST(Schema, RankDumpDescribesWhatIsRead) {
  JsonSchema schema(directory + "rank-dump.schema.json");
  EXPECT_EQ(schema.root()["$schema"], "https://json-schema.org/draft/2020-12/schema");
  EXPECT_EQ(schema.errors(json::parse(dump_text())), Errors{});
}

TEST(Schema, RefusesWhatTheReadersRefuse) {
  JsonSchema schema(directory + "rank-dump.schema.json");
  for (auto [from, to] : {std::pair{"\"pid\":4711,", ""},
                          {"\"pid\":4711", "\"pid\":-1"},
                          {"\"status\":\"finalized\"", "\"status\":\"x\""},
                          {"\"end\":true", "\"end\":false"},
                          {"fedcba9876543210", "xyz"},
                          {"[3,1]", "[3]"}}) {
    std::string text = changed(dump_text(), from, to);
    EXPECT_EQ(schema.errors(json::parse(text)).size(), 1u) << to;
    EXPECT_NE(error_of([&] { scope::model::parse_rank_dump(text, "d"); }), "no error") << to;
  }
}

/// Each key is required by the schema exactly where the reader insists on it too.
TEST(Schema, RankDumpReaderNeedsTheKeysThatTheSchemaRequires) {
  JsonSchema schema(directory + "rank-dump.schema.json");
  json document = json::parse(dump_text());
  std::vector<std::string> keys;
  add_keys(document, "", keys);
  EXPECT_GT(keys.size(), 70u);
  for (std::string path : keys) {
    // add_keys leaves the index of arrays out.
    for (const char *array : {"/in_call/", "/communicators/", "/calls/", "/signatures/"})
      if (path.starts_with(array)) path.insert(std::string(array).size(), "0/");
    json without = document;
    json::json_pointer place(path);
    without[place.parent_pointer()].erase(place.back());
    bool read = error_of([&] { scope::model::parse_rank_dump(without.dump(), "d"); }) == "no error";
    EXPECT_FALSE(schema.errors(without).empty()) << path;
    EXPECT_EQ(read, path == "/exporter") << path << ": the exporter is for people";
  }
}

TEST(Schema, SummaryReaderNeedsTheKeysThatTheSchemaRequires) {
  JsonSchema schema(directory + "summary.schema.json");
  const json document = json::parse(to_json(full_profile()));
  ASSERT_EQ(error_of([&] { scope::model::parse_profile(document.dump(), "p"); }), "no error");
  std::size_t checked = 0;
  const json flat = document.flatten();
  for (const auto &[path, value] : flat.items()) {
    json::json_pointer place(path);
    json without = document;
    bool free_key = path.find("/tags/") != path.npos || path.find("/evidence/") != path.npos || path.starts_with("/metadata/batch/");
    if (!without[place.parent_pointer()].is_object() || free_key) continue;
    without[place.parent_pointer()].erase(place.back());
    bool read = error_of([&] { scope::model::parse_profile(without.dump(), "p"); }) == "no error";
    // What may be null may be missing for the reader, and what it does not use yet.
    bool unused = path == "/time_unit" || path == "/repeats" || path == "/timeline";
    bool lenient = unused || path.ends_with("/parent") || path.ends_with("/signal") || path.ends_with("/source") ||
                   path.starts_with("/efficiency/");
    // Not in the first files of this version.
    bool later = path.ends_with("/mpi") || path.ends_with("/abort_code") ||
                  (path.starts_with("/ranks/") && (path.ends_with("/calls") || path.find("/bytes_") != path.npos || path.ends_with("/startup_ns"))) ||
                  (path.starts_with("/regions/") && (path.ends_with("/mpi_calls") || path.find("/mpi_self_") != path.npos));
    EXPECT_EQ(schema.errors(without).empty(), later) << path;
    EXPECT_EQ(read, lenient || later) << path;
    ++checked;
  }
  EXPECT_GT(checked, 150u);
}

}  // namespace
