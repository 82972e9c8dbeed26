#pragma once
// The timeline of a profile that was read: its side file, found and opened.

#include <filesystem>
#include <memory>
#include <string>

#include "model/profile.hpp"
#include "timeline/file.hpp"

namespace scope::app {

/// The file that the profile's timeline.file names, beside `profile_file`; or, where that is of another run, its NAME.old: a later run
/// of the same output left it. Throws support::Error if there is none, saying that `who` ("--to csv") needs it.
std::filesystem::path side_file_of(const model::Profile &profile, const std::filesystem::path &profile_file, const std::string &who);

/// nullptr: there is none, or it can't be used: `reason` then is a sentence, "" where the run recorded none. Damaged parts are
/// in the reader's warnings.
std::unique_ptr<timeline::Reader> open_side_file(const model::Profile &profile, const std::filesystem::path &profile_file, std::string &reason);

}  // namespace scope::app
