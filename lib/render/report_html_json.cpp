// What the charts of the page are drawn from.

#include <nlohmann/json.hpp>

#include <map>

#include "analyze/per_rank.hpp"
#include "render/report_parts.hpp"

namespace scope::render {
namespace {

using Json = nlohmann::ordered_json;

/// Of more ranks the charts have some of them, and the matrix groups of them: a page of 100,000 ranks must stay one that opens.
constexpr std::size_t most_lanes = 4096, lane_groups = 512, matrix_bins = 256;

using Lanes = std::vector<std::size_t>;

/// Hosts by number: many ranks have the same.
Json ranks(const ReportParts &parts, const Lanes &lanes) {
  std::map<std::string, std::size_t> numbers;
  Json hosts = Json::array(), world = Json::array(), rank = Json::array(), host = Json::array(), status = Json::array();
  Json wall = Json::array(), mpi = Json::array(), share = Json::array(), calls = Json::array();
  const std::vector<analyze::RankView> rows = analyze::by_rank(parts.profile, parts.filter);
  std::map<std::pair<int, int>, std::size_t> places;
  for (std::size_t i = 0; i < rows.size(); ++i) places[{rows[i].world, rows[i].rank}] = i;
  for (std::size_t lane : lanes) {
    const analyze::RankView &row = rows[places.at({parts.profile.ranks[lane].world, parts.profile.ranks[lane].rank})];
    const auto [found, is_new] = numbers.emplace(row.host, numbers.size());
    if (is_new) hosts.push_back(row.host);
    world.push_back(row.world);
    rank.push_back(row.rank);
    host.push_back(found->second);
    status.push_back(row.status);
    wall.push_back(row.wall_ns);
    mpi.push_back(row.mpi_ns);
    share.push_back(row.mpi_share ? Json(*row.mpi_share) : Json(nullptr));
    calls.push_back(row.calls);
  }
  return Json{{"hosts", hosts},   {"world", world}, {"rank", rank},       {"host", host},   {"status", status}, {"wall_ns", wall},
              {"mpi_ns", mpi},  {"mpi_share", share}, {"calls", calls}, {"of", rows.size()}};
}

Json calls(const ReportParts &parts, const Lanes &lanes) {
  Json rows = Json::array();
  for (const analyze::CallOfRanks &row : analyze::calls_of_ranks(parts.profile, parts.filter, lanes)) {
    Json json{{"call", row.call}};
    if (!row.per_rank.calls.empty())
      json["per_rank"] = {{"calls", row.per_rank.calls},
                          {"total_ns", row.per_rank.total_ns},
                          {"bytes_sent", row.per_rank.bytes_sent},
                          {"bytes_received", row.per_rank.bytes_received}};
    rows.push_back(std::move(json));
  }
  return rows;
}

Json matrix(const model::PeerMatrix &all, const analyze::Filter &filter) {
  const model::PeerMatrix sent = analyze::sent_by(all, filter);
  return Json{{"world", sent.world}, {"src", sent.src}, {"dst", sent.dst}, {"messages", sent.messages}, {"bytes", sent.bytes}};
}

Json bins(const analyze::BinnedMatrix &binned) {
  auto layer = [](const model::PeerMatrix &cells) {
    return Json{{"src", cells.src}, {"dst", cells.dst}, {"messages", cells.messages}, {"bytes", cells.bytes}};
  };
  return Json{{"bins", {{"world", binned.world}, {"first", binned.first}, {"last", binned.last}}},
              {"p2p", layer(binned.p2p)},
              {"rma", layer(binned.rma)}};
}

Json peers(const ReportParts &parts, const Lanes &lanes) {
  if (analyze::chosen_ranks(parts.profile, parts.filter).size() > lanes.size())
    return bins(analyze::binned_peers(parts.profile, parts.filter, matrix_bins));
  return {{"p2p", matrix(parts.profile.peers.p2p, parts.filter)}, {"rma", matrix(parts.profile.peers.rma, parts.filter)}};
}

Json sizes(const ReportParts &parts) {
  Json rows = Json::array();
  for (const analyze::SizeView &row : analyze::by_size(parts.profile, parts.filter))
    rows.push_back({{"call", row.call}, {"bytes_from", row.bytes_from}, {"bytes_to", row.bytes_to},
                    {"calls", row.calls}, {"bytes", row.bytes}, {"total_ns", row.total_ns}});
  return rows;
}

Json regions(const ReportParts &parts, const Lanes &lanes) {
  Json rows = Json::array();
  for (const analyze::RegionOfRanks &row : analyze::regions_of_ranks(parts.profile, parts.filter, lanes))
    rows.push_back({{"path", row.path},
                    {"calls", row.calls},
                    {"total_ns", row.total_ns},
                    {"mpi_ns", row.mpi_ns ? Json(*row.mpi_ns) : Json(nullptr)},
                    {"per_rank", {{"total_ns", row.rank_total_ns}}}});
  return rows;
}

}  // namespace

std::string html_report_json(const ReportParts &parts) {
  const Lanes lanes = analyze::lanes_of(parts.profile, parts.filter, most_lanes, lane_groups);
  Json root{{"version", 1}, {"ranks", ranks(parts, lanes)}};
  for (const Table &table : parts.tables) {
    if (table.name == "call") root["calls"] = calls(parts, lanes);
    if (table.name == "peer") root["peers"] = peers(parts, lanes);
    if (table.name == "size") root["sizes"] = sizes(parts);
    if (table.name == "region") root["regions"] = regions(parts, lanes);
  }
  if (parts.timeline) root["timeline"] = Json::parse(parts.timeline->json);
  return root.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace scope::render
