#include "render/python_profile_json.hpp"

#include <nlohmann/json.hpp>

#include "analyze/rank_rows.hpp"
#include "model/python_profile_json.hpp"
#include "render/python_profile_json_parts.hpp"

namespace scope::render {

using nlohmann::ordered_json;

ordered_json mpi_tags(const model::RegionName &name) {
  ordered_json tags = {"mpi", "mpi.kind:" + name.kind, "mpi.operation:" + name.operation, "mpi.bytes:" + std::to_string(name.bytes),
                       "mpi.peer:" + std::to_string(name.peer), "mpi.root:" + std::to_string(name.root),
                       "mpi.tag:" + std::to_string(name.tag), "mpi.communicator:" + std::to_string(name.comm)};
  if (!name.request.empty()) tags.push_back("mpi.request:" + name.request);
  return tags;
}

ordered_json row_of(const analyze::RankRow &row) {
  ordered_json out;
  out["name"] = row.name;
  out["rank"] = row.rank;
  if (!row.source_file.empty()) out["source_file"] = row.source_file;
  if (row.source_line > 0) out["source_lineno"] = row.source_line;
  out["tags"] = row.mpi ? mpi_tags(*row.mpi) : ordered_json::array();
  ordered_json &aggregate = out["aggregate"];
  aggregate["count"] = row.calls;
  aggregate["total"] = row.total_ns;
  if (row.self_ns) aggregate["exclusive"] = *row.self_ns;
  aggregate["minimum"] = row.min_ns;
  aggregate["maximum"] = row.max_ns;
  aggregate["mean"] = static_cast<double>(row.total_ns) / static_cast<double>(row.calls);
  return out;
}

ordered_json program_row(const model::Rank &rank, std::size_t index, bool has_regions) {
  ordered_json out;
  out["name"] = "program";
  out["rank"] = index;
  out["tags"] = ordered_json::array();
  out["aggregate"] = {{"count", 1}, {"total", rank.wall_ns}, {"minimum", rank.wall_ns}, {"maximum", rank.wall_ns},
                      {"mean", static_cast<double>(rank.wall_ns)}, {"start_minimum", 0}, {"end_maximum", rank.wall_ns}};
  if (!has_regions) out["aggregate"]["exclusive"] = rank.wall_ns - rank.mpi_ns;
  return out;
}

namespace {

/// Flat: texts, numbers, lists. A tag of the user that has the name of one of our facts is "tag:NAME".
ordered_json metadata_of(const model::Profile &profile) {
  const model::Metadata &data = profile.metadata;
  ordered_json out;
  out["mpi_size"] = profile.ranks.size();
  ordered_json worlds = ordered_json::array();
  for (const model::World &world : profile.worlds) worlds.push_back(world.size);
  if (worlds.size() > 1) out["world_sizes"] = worlds;
  auto text = [&out](const char *key, const std::string &value) {
    if (!value.empty()) out[key] = value;
  };
  if (!data.command.empty()) out["command"] = data.command;
  text("label", data.label);
  text("started", data.started);
  if (!data.hosts.empty()) out["hosts"] = data.hosts;
  text("launcher", data.launcher);
  text("mpi_library", data.mpi_library);
  text("mpi_standard", data.mpi_standard);
  text("cpu", data.cpu);
  out["exit_status"] = data.exit_status;
  out["complete"] = profile.complete ? 1 : 0;
  for (const auto &[key, value] : data.tags) out[out.contains(key) ? "tag:" + key : key] = value;
  return out;
}

}  // namespace

ordered_json python_head(const model::Profile &profile, bool has_events) {
  ordered_json out;
  out["format"] = model::python_format;
  out["format_version"] = model::python_version;
  out["time_unit"] = "nanoseconds";
  out["exporter"] = profile.metadata.exporter;
  out["num_ranks"] = profile.ranks.size();
  out["event_data_available"] = has_events;
  out["metadata"] = metadata_of(profile);
  return out;
}

std::string python_profile_json(const model::Profile &profile) {
  ordered_json out = python_head(profile, false);
  ordered_json &regions = out["regions"] = ordered_json::array();
  const auto rows = analyze::rank_rows(profile);
  bool has_program = false, has_regions = false;
  for (const auto &row : rows) {
    has_program = has_program || row.name == "program";
    has_regions = has_regions || !row.mpi;
  }
  for (std::size_t rank = 0; rank < profile.ranks.size() && !has_program; ++rank)
    regions.push_back(program_row(profile.ranks[rank], rank, has_regions));
  for (const auto &row : rows) regions.push_back(row_of(row));
  return out.dump(1, ' ', false, ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace scope::render
