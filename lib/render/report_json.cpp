// The report for programs: raw numbers, units in the keys, null for what is not known.

#include <nlohmann/json.hpp>

#include "render/report_parts.hpp"
#include "render/table_json.hpp"

namespace scope::render {
namespace {

using Json = nlohmann::ordered_json;

template <class Number>
Json nullable(const std::optional<Number> &number) {
  return number ? Json(*number) : Json(nullptr);
}

Json headline(const ReportParts &parts) {
  const analyze::Headline &line = parts.headline;
  const model::Metadata &metadata = parts.profile.metadata;
  return Json{{"command", metadata.command},
              {"label", metadata.label},
              {"tags", metadata.tags},
              {"batch", metadata.batch},
              {"started", metadata.started},
              {"mpi_library", metadata.mpi_library},
              {"exit_status", metadata.exit_status},
              {"complete", parts.profile.complete},
              {"worlds", line.worlds},
              {"hosts", line.hosts},
              {"ranks", line.denominators.ranks},
              {"expected_ranks", line.expected_ranks},
              {"reported_ranks", line.reported_ranks},
              {"wall_ns", line.wall_ns},
              {"mpi_ns", line.denominators.mpi_ns},
              {"mpi_share", nullable(line.mpi_share)},
              {"parallel_efficiency", nullable(line.efficiency.parallel)},
              {"load_balance", nullable(line.efficiency.load_balance)},
              {"communication_efficiency", nullable(line.efficiency.communication)},
              {"calls", line.calls},
              {"bytes_sent", line.bytes_sent},
              {"bytes_received", line.bytes_received},
              {"p2p_messages", line.p2p_messages},
              {"p2p_bytes", line.p2p_bytes},
              {"bytes_inside_nodes", nullable(line.bytes_inside)},
              {"rma_messages", line.rma_messages},
              {"rma_bytes", line.rma_bytes},
              {"overhead_ns", line.overhead_ns},
              {"overhead_share", nullable(line.overhead_share)}};
}

}  // namespace

std::string json_report(const ReportParts &parts) {
  Json root;
  root["headline"] = headline(parts);
  const analyze::Denominators &whole = parts.headline.denominators;
  root["denominators"] = {{"mpi_time_ns", whole.mpi_ns}, {"rank_time_ns", whole.rank_ns}, {"bytes", whole.peer_bytes}};
  for (const Table &table : parts.tables) root["by_" + table.name] = json_rows(table);
  root["left_out"] = Json::object();
  for (const LeftOut &left : parts.left_out) root["left_out"][left.name] = left.reason;
  root["warnings"] = Json::array();
  for (const model::Warning &warning : parts.profile.warnings)
    root["warnings"].push_back({{"id", warning.id}, {"text", warning.text}});
  return json_text(root);
}

}  // namespace scope::render
