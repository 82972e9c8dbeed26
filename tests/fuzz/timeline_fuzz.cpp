// The side file of a timeline, as it is or from its blocks' contents (timeline_plain.hpp).

#include "fuzz.hpp"
#include "model/profile.hpp"
#include "render/timeline_chrome_trace.hpp"
#include "render/timeline_csv.hpp"
#include "render/timeline_python_profile.hpp"
#include "render/timeline_speedscope.hpp"
#include "timeline/file.hpp"
#include "timeline_plain.hpp"

namespace {

using namespace scope;

constexpr std::uint64_t most_events = 1 << 20;
constexpr std::uint64_t most_exported = 1 << 12;  ///< more takes long and finds nothing else

/// What file.hpp promises of the events that come out.
void require_promises(const timeline::Timeline &line) {
  for (const auto &events : line.events) {
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < events.size(); ++i) {
      const timeline::Event &event = events[i];
      fuzz::require(begin <= event.begin && event.begin <= event.end, "instants out of order");
      fuzz::require(event.start == timeline::none || event.start < i, "a start that is not before its event");
      const bool region = event.kind == timeline::Kind::region;
      fuzz::require(event.kind <= timeline::Kind::region, "an unknown kind");
      fuzz::require(event.what < (region ? line.header.regions.size() : line.signatures.size()), "what is not in the dictionary");
      begin = event.begin;
    }
  }
}

void require_exports(timeline::Reader &reader) {
  if (reader.events() > most_exported) return;
  std::string text;
  const render::Sink sink = [&text](std::string_view part) { text += part; };
  auto export_and_check = [&](const char *what, const auto &format) {
    text.clear();
    format();
    fuzz::require(!text.empty(), what);
    if (text.find('\r') == std::string::npos) fuzz::require_harmless(text, what);  // CSV has line ends of its own
  };
  export_and_check("csv", [&] { render::timeline_csv(reader, sink); });
  export_and_check("chrome trace", [&] { render::timeline_chrome_trace(reader, sink); });
  export_and_check("speedscope", [&] { render::timeline_speedscope(reader, sink); });
  model::Profile profile;
  for (const timeline::RankInfo &info : reader.header().ranks) {
    profile.ranks.emplace_back().world = info.world;
    profile.ranks.back().rank = info.rank;
  }
  export_and_check("profile of the Python package", [&] { render::timeline_python_profile(profile, reader, sink); });
}

void require_round_trip(const timeline::Timeline &line, const std::filesystem::path &file) {
  timeline::Writer writer(file, line.header);
  for (std::uint32_t rank = 0; rank < line.events.size(); ++rank) writer.add(rank, line.events[rank], line.signatures);
  writer.finish();
  const timeline::Timeline back = timeline::load(file);
  const bool used = !line.events.empty();
  fuzz::require(back.header == line.header && back.events == line.events, "a timeline that does not come back as it was");
  fuzz::require(!used || back.signatures == line.signatures, "signatures that do not come back as they were");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t *data, std::size_t size) {
  static fuzz::InputFile file("trace.timeline");
  std::string bytes = fuzz::text_of(data, size);
  if (!bytes.empty() && static_cast<unsigned char>(bytes.front()) < 2) bytes = fuzz::packed(bytes);
  const auto &path = file.write(reinterpret_cast<const std::uint8_t *>(bytes.data()), bytes.size());
  fuzz::expect_only_errors([&] {
    std::vector<std::string> warnings;
    const timeline::Timeline line = timeline::load(path, &warnings, most_events);
    for (const std::string &warning : warnings)
      fuzz::require(warning.size() <= fuzz::longest_error && support::valid_utf8(warning) == warning,
                    "a warning that is long or no UTF-8");
    require_promises(line);
    timeline::Reader reader(path);
    require_exports(reader);
    require_round_trip(line, path);
  });
  return 0;
}
