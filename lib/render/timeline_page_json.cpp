#include <nlohmann/json.hpp>

#include "render/timeline_names.hpp"
#include "render/timeline_page_parts.hpp"

namespace scope::render {
namespace {

using Json = nlohmann::ordered_json;

Json lanes(const PageParts &parts, const timeline::Header &header) {
  Json world = Json::array(), rank = Json::array(), recorded = Json::array();
  Json begin = Json::array(), end = Json::array(), to = Json::array();
  for (const std::uint32_t lane : parts.lanes) {
    const timeline::RankInfo &info = header.ranks[lane];
    world.push_back(info.world);
    rank.push_back(info.rank);
    begin.push_back(info.begin);
    end.push_back(info.end);
    to.push_back(info.to);
    recorded.push_back(info.recorded);
  }
  return {{"world", world}, {"rank", rank}, {"begin", begin}, {"end", end}, {"to", to}, {"recorded", recorded}};
}

/// Names of the procedures that occur, by the number that the columns have for them.
Json calls(const PageParts &parts, const std::vector<timeline::Signature> &signatures) {
  Json out = Json::object();
  for (const std::uint32_t index : parts.signatures)
    for (const wire::Call call : {signatures[index].call, signatures[index].request_call})
      if (call < wire::Call::none)
        out[std::to_string(static_cast<int>(call))] = {{"name", call_name(call)}, {"kind", wire::kind_name(wire::info(call).kind)}};
  return out;
}

}  // namespace

std::string page_timeline_json(const PageParts &parts, const timeline::Header &header, const std::vector<timeline::Signature> &signatures,
                               const model::Profile &profile) {
  Json communicators = Json::object();
  for (const model::CommunicatorRow &comm : profile.communicators) communicators[std::to_string(comm.id)] = comm.name;
  const Json root{{"to", parts.to},
                  {"rows", parts.row_count},
                  {"boxes", parts.box_count},
                  {"blocks", parts.block_count},
                  {"signatures", parts.signatures.size()},
                  {"messages", parts.messages.size()},
                  {"calls", calls(parts, signatures)},
                  {"regions", header.regions},
                  {"communicators", communicators},
                  {"lanes", lanes(parts, header)}};
  return root.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace scope::render
