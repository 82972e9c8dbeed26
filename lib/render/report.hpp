#pragma once
// What `report` prints of one profile.

#include <string>
#include <vector>

#include "model/profile.hpp"
#include "render/style.hpp"
#include "timeline/file.hpp"

namespace scope::render {

/// As the user typed them; report() checks them and names the option in its errors.
struct ReportOptions {
  std::string format = "text";       ///< text, markdown, csv, json, html
  std::vector<std::string> by;       ///< call, rank, heat, peer, size, comm, callsite, region, wait, delay, path; empty: the overview
  std::string sort;                  ///< column; "": each table's own order
  int top = -1;                      ///< rows of each table; 0 all; -1: all with `by`, in the overview each table's own bound
  std::vector<std::string> columns;  ///< empty: those that matter most and fit
  std::string ranks;                 ///< "0-3,8"; "": all
  std::string include, exclude;      ///< regular expressions on procedure names; "": none
  Style style;
  timeline::Reader *timeline = nullptr;  ///< the profile's side file, for the page; nullptr: the page has no timeline ...
  std::string no_timeline;               ///< ... because of this, a sentence; "" where the run recorded none
};

/// The report, ended by a line feed (CSV: CRLF). Throws support::Error that names the option and what it may be.
std::string report(const model::Profile &profile, const ReportOptions &options);

/// The format that a file's name asks for by its ending (.txt .md .csv .json .html); "" for another ending.
std::string format_of_file(const std::string &file);

}  // namespace scope::render
