#pragma once
// What the files that read and write the merged profile's JSON share. Internal to them.

#include <vector>

#include <nlohmann/json.hpp>

#include "model/json_reader.hpp"
#include "model/profile.hpp"

namespace scope::model {

Totals parse_totals(const JsonView &view);
Efficiency parse_efficiency(const JsonView &view);
std::vector<Repeat> parse_repeats(const JsonView &array);
/// The profile's worlds and communicators must have been read.
TimelineResults parse_timeline(const JsonView &view, const Profile &profile);

nlohmann::ordered_json json_of(const Totals &totals);
nlohmann::ordered_json json_of(const Efficiency &efficiency);
nlohmann::ordered_json json_of(const Repeat &repeat);
nlohmann::ordered_json json_of(const TimelineResults &results);

}  // namespace scope::model
