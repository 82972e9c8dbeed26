#include "analyze/rank_hosts.hpp"

namespace scope::analyze {

namespace {

std::uint64_t key_of(int world, int rank) { return static_cast<std::uint64_t>(static_cast<std::uint32_t>(world)) << 32 | static_cast<std::uint32_t>(rank); }

}  // namespace

RankHosts::RankHosts(const model::Profile &profile) {
  for (const model::Rank &rank : profile.ranks) {
    hosts_.emplace(key_of(rank.world, rank.rank), &rank.host);
    several_ = several_ || rank.host != profile.ranks.front().host;
  }
}

const std::string &RankHosts::of(int world, int rank) const {
  static const std::string unknown;
  auto found = hosts_.find(key_of(world, rank));
  return found == hosts_.end() ? unknown : *found->second;
}

bool RankHosts::together(int world, int first, int second) const {
  const std::string &host = of(world, first);
  return !host.empty() && host == of(world, second);
}

}  // namespace scope::analyze
