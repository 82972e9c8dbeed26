#include "timeline/header_json.hpp"

#include <nlohmann/json.hpp>

#include "model/json_reader.hpp"

namespace scope::timeline {
namespace {

using model::JsonView;
using nlohmann::ordered_json;

constexpr int most_threads = 1 << 16;
constexpr std::int64_t latest = std::int64_t{1} << 62;  ///< differences of instants are numbers, too

ordered_json json_of(const RankInfo &rank) {
  return {{"world", rank.world},     {"rank", rank.rank},       {"host", rank.host},
          {"begin", rank.begin},     {"end", rank.end},         {"from", rank.from},
          {"to", rank.to},           {"dropped", rank.dropped}, {"clock_error", rank.clock_error},
          {"recorded", rank.recorded}, {"threads", rank.threads}};
}

ordered_json json_of(const Communicator &comm) {
  return {
      {"id", comm.id}, {"world", comm.world}, {"size", comm.size}, {"remote_size", comm.remote_size}, {"members", comm.members}};
}

RankInfo rank_of(const JsonView &view) {
  RankInfo rank;
  rank.world = static_cast<std::int32_t>(view.at("world").integer(0, model::largest_world));
  rank.rank = static_cast<std::int32_t>(view.at("rank").integer(0, model::largest_world));
  rank.host = view.at("host").text();
  auto instant = [&view](const char *key) { return view.at(key).integer(-latest, latest); };
  rank.begin = instant("begin");
  rank.end = instant("end");
  rank.from = instant("from");
  rank.to = instant("to");
  rank.dropped = view.at("dropped").instant();
  rank.clock_error = instant("clock_error");
  rank.recorded = view.at("recorded").flag();
  rank.threads = static_cast<std::uint32_t>(view.at("threads").integer(0, most_threads));
  return rank;
}

Communicator comm_of(const JsonView &view) {
  Communicator comm;
  comm.id = view.at("id").small();
  comm.world = view.at("world").small();
  comm.size = view.at("size").small();
  comm.remote_size = view.at("remote_size").small();
  const JsonView members = view.at("members");
  comm.members.reserve(members.size());
  for (const JsonView member : members.elements()) comm.members.push_back(member.small());
  return comm;
}

}  // namespace

std::string to_json(const Header &header) {
  ordered_json ranks = ordered_json::array(), comms = ordered_json::array();
  for (const RankInfo &rank : header.ranks) ranks.push_back(json_of(rank));
  for (const Communicator &comm : header.communicators) comms.push_back(json_of(comm));
  const ordered_json json = {{"start_unix_ns", header.start_unix_ns}, {"run_id", header.run_id},     {"ranks", ranks},
                             {"communicators", comms},                {"regions", header.regions}};
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
}

Header parse_header(const std::string &text, const std::string &file) {
  const model::JsonDocument document(text, file);
  const JsonView root = document.root();
  Header header;
  header.start_unix_ns = root.at("start_unix_ns").integer(-latest, latest);
  header.run_id = root.at("run_id").text();
  const JsonView ranks = root.at("ranks"), comms = root.at("communicators"), regions = root.at("regions");
  for (const JsonView rank : ranks.elements()) header.ranks.push_back(rank_of(rank));
  for (const JsonView comm : comms.elements()) header.communicators.push_back(comm_of(comm));
  for (const JsonView region : regions.elements()) header.regions.push_back(region.text());
  return header;
}

}  // namespace scope::timeline
