#include "render/timeline_names.hpp"

namespace scope::render {

std::string_view call_name(wire::Call call) { return call < wire::Call::none ? wire::info(call).name : "MPI call"; }

std::string region_name(std::string_view path) {
  std::string name;
  for (std::size_t i = 0; i < path.size(); ++i) {
    if (path[i] == '/') {
      name.clear();
      continue;
    }
    if (path[i] == '\\' && i + 1 < path.size()) ++i;
    name += path[i];
  }
  return name;
}

std::string rank_name(const timeline::Header &header, std::size_t rank) {
  const timeline::RankInfo &info = header.ranks[rank];
  const bool several = header.ranks.front().world != header.ranks.back().world;  // they are ordered by it
  return (several ? "world " + std::to_string(info.world) + " " : "") + "rank " + std::to_string(info.rank);
}

}  // namespace scope::render
