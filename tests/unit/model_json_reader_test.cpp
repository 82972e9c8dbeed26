// What every JSON reader of the model refuses: made to crash, hang or fill the memory.

#include <gtest/gtest.h>

#include "expect_error.hpp"
#include "model/profile.hpp"
#include "model/rank_record.hpp"
#include "temporary_directory.hpp"

using namespace scope::model;
using namespace scope::test;

namespace {

/// The same for all readers: they share the parser.
std::string error_for(const std::string &text) {
  std::string error = error_of([&] { parse_profile(text, "f.json"); });
  EXPECT_EQ(error_of([&] { parse_rank_dump(text, "f.json"); }), error);
  return error;
}

std::string times(int count, const std::string &text) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

TEST(HostileJson, DeepNesting) {
  EXPECT_EQ(error_for(times(200000, "[")), "f.json: line 1, column 65: is nested more than 64 levels deep");
  EXPECT_EQ(error_for(times(65, "{\"a\":") + "1" + times(65, "}")),
            "f.json: line 1, column 321: is nested more than 64 levels deep");
  EXPECT_EQ(error_for(times(64, "[") + times(64, "]")), "f.json: the document is not an object");
}

TEST(HostileJson, DuplicateKeys) {
  EXPECT_EQ(error_for("{\"a\": 1,\n \"b\": {\"c\": 1, \"c\": 2}}"), "f.json: line 2, column 18: has the key \"c\" twice");
  std::string many = "{";
  for (int i = 0; i < 40; ++i) many += "\"k" + std::to_string(i) + "\":0,";
  EXPECT_EQ(error_for(many + "\"k3\":0}"), "f.json: line 1, column 315: has the key \"k3\" twice");
  EXPECT_EQ(error_for(many + "\"k39\":0}"), "f.json: line 1, column 316: has the key \"k39\" twice");
}

/// Looking for each key among all would take minutes.
TEST(HostileJson, ManyKeys) {
  std::string text = "{";
  for (int i = 0; i < 200'000; ++i) text += "\"" + std::to_string(i) + "\":0,";
  EXPECT_EQ(error_of([&] { parse_profile(text + "\"x\":0}", "f.json"); }),
            "f.json: is no scope-profiler-summary file: it has no key \"format\"");
}

TEST(HostileJson, NumbersAndWordsThatAreNone) {
  EXPECT_EQ(error_for("{\"a\":\n1e400}"), "f.json: line 2, column 5: is no JSON: number overflow parsing '1e400'");
  EXPECT_EQ(error_for("[NaN]"), "f.json: line 1, column 2: is no JSON: invalid literal; last read: '[N'");
  EXPECT_EQ(error_for("[Infinity]"), "f.json: line 1, column 2: is no JSON: invalid literal; last read: '[I'");
  EXPECT_EQ(error_for("[01]"), "f.json: line 1, column 3: is no JSON: unexpected number literal; expected ']'");
}

TEST(HostileJson, BytesThatAreNoUtf8) {
  for (const char *bytes : {"\xff", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80"})
    EXPECT_TRUE(contains(error_for(std::string("[\"") + bytes + "\"]"),
                         ": is no JSON: invalid string: ill-formed UTF-8 byte; last read: "))
        << error_for(std::string("[\"") + bytes + "\"]");
  EXPECT_TRUE(contains(error_for(std::string("{\"a\0\": 1}", 9)), "f.json: line 1, column 4: is no JSON: invalid string: "));
}

TEST(HostileJson, ErrorsStayShort) {
  const std::string name(1'000'000, 'n');
  EXPECT_LE(error_of([&] { parse_profile("{\"format\":\"" + name + "\"}", "f.json"); }).size(), 400u);
  for (const std::string &text : {"{\"" + name + "\":1,\"" + name + "\":2}", "{\"a\":\"" + name, "[\"" + name + "\" x]", name})
    EXPECT_LE(error_for(text).size(), 400u);
}

TEST(HostileFile, ASizeIsNotTakenOnTrust) {
  TemporaryDirectory directory;
  auto file = directory.write("sparse.json", "{");
  std::filesystem::resize_file(file, std::uintmax_t{2} << 30);
  EXPECT_EQ(error_of([&] { read_profile(file); }), "cannot read " + file.string() + ": is larger than 1073741824 bytes");
  EXPECT_EQ(error_of([&] { read_rank_dump(file); }), "cannot read " + file.string() + ": is larger than 536870912 bytes");
  EXPECT_EQ(error_of([&] { read_live_block(file); }), "cannot read " + file.string() + ": is larger than 536870912 bytes");
}

}  // namespace
