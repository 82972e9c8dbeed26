// Makes the corpus of timeline_fuzz: `timeline_corpus DIRECTORY`. To be run again when the format changes.

#include <fstream>
#include <iterator>

#include "../unit/timeline_sample.hpp"
#include "timeline_plain.hpp"

namespace {

void write(const std::filesystem::path &file, const std::string &bytes) { std::ofstream(file, std::ios::binary) << bytes; }

std::string written(const std::filesystem::path &file, const scope::timeline::Timeline &line) {
  scope::test::write_timeline(file, line);
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

int main(int argc, char **argv) {
  if (argc != 2) return 2;
  const std::filesystem::path directory = argv[1];
  auto line = scope::test::small_timeline();
  const std::string small = written(directory / "small.timeline", line);
  write(directory / "small.plain", scope::fuzz::plain_of(small, true));
  write(directory / "small-unindexed.plain", scope::fuzz::plain_of(small, false));
  write(directory / "cut.timeline", small.substr(0, small.size() * 3 / 4));

  // More events than a byte counts, several blocks of a rank, wide columns.
  line.events[0].clear();
  for (std::uint32_t i = 0; i < 300; ++i)
    line.events[0].push_back(
        {.begin = i * i, .end = i * i + (std::int64_t{1} << (i % 60)), .what = i % 7, .thread = static_cast<std::uint16_t>(i % 3)});
  scope::timeline::Writer writer(directory / "several.timeline", line.header);
  for (std::uint32_t i = 0; i < 2; ++i) {  // a change of the rank ends a block
    writer.add(0, std::span(line.events[0]).subspan(150 * i, 150), line.signatures);
    writer.add(1, std::span(line.events[1]).subspan(i, 1), line.signatures);
  }
  writer.finish();
  std::ifstream in(directory / "several.timeline", std::ios::binary);
  write(directory / "several.plain", scope::fuzz::plain_of({std::istreambuf_iterator<char>(in), {}}, true));
}
