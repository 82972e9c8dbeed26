#include "compare/comparable.hpp"

#include <algorithm>

namespace scope::compare {
namespace {

std::string last_part(const std::string &word) {
  const auto slash = word.rfind('/');
  return slash == std::string::npos || slash + 1 == word.size() ? word : word.substr(slash + 1);
}

std::string command_of(const model::Metadata &metadata) {
  std::string text;
  for (const std::string &word : metadata.command) text += (text.empty() ? "" : " ") + last_part(word);
  return text;
}

std::string ranks_of(const model::Profile &profile) {
  std::string text;
  for (const model::World &world : profile.worlds) text += (text.empty() ? "" : " + ") + std::to_string(world.size);
  return text.empty() ? "0" : text;
}

void compare(std::vector<Difference> &found, Difference::Kind kind, const std::string &base, const std::string &now) {
  if (base != now) found.push_back({kind, base, now, 0});
}

}  // namespace

bool ranks_differ(const std::vector<Difference> &differences) {
  return std::any_of(differences.begin(), differences.end(), [](const Difference &difference) {
    return difference.kind == Difference::Kind::ranks || difference.kind == Difference::Kind::no_ranks;
  });
}

std::vector<Difference> defects(const Measurements &measurements, int side) {
  std::vector<Difference> found;
  const model::Profile &profile = measurements.profile;
  int failed = profile.metadata.exit_status;
  for (const model::Repeat &repeat : profile.repeats)
    if (failed == 0) failed = repeat.exit_status;
  bool incomplete = !profile.complete;
  for (const model::World &world : profile.worlds) incomplete = incomplete || !world.complete;
  for (const model::Repeat &repeat : profile.repeats) incomplete = incomplete || !repeat.complete;
  const std::string none;
  if (failed != 0) found.push_back({Difference::Kind::failed, std::to_string(failed), none, side});
  else if (incomplete) found.push_back({Difference::Kind::incomplete, none, none, side});
  return found;
}

std::vector<Difference> differences(const Measurements &base, const Measurements &now) {
  using Kind = Difference::Kind;
  std::vector<Difference> found = defects(base, 0);
  for (Difference &defect : defects(now, 1)) found.push_back(std::move(defect));
  const model::Profile &a = base.profile, &b = now.profile;
  if (a.ranks.empty() != b.ranks.empty()) {
    found.push_back({Kind::no_ranks, "", "", a.ranks.empty() ? 0 : 1});
  } else {
    compare(found, Kind::ranks, ranks_of(a), ranks_of(b));
    compare(found, Kind::mpi, a.metadata.mpi_library, b.metadata.mpi_library);
    compare(found, Kind::hosts, std::to_string(a.metadata.hosts.size()), std::to_string(b.metadata.hosts.size()));
  }
  compare(found, Kind::command, command_of(a.metadata), command_of(b.metadata));
  compare(found, Kind::cpu, a.metadata.cpu, b.metadata.cpu);
  return found;
}

}  // namespace scope::compare
