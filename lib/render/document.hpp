#pragma once
// What a command says that has no profile to report: a headline, tables, lists of remarks; in the formats of reports.

#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "render/style.hpp"
#include "render/table.hpp"

namespace scope::render {

struct Remark {
  std::string id;  ///< for programs: "run-as-root"
  std::string text;
};

struct Remarks {
  std::string name, title;  ///< "problems", "Problems"
  std::vector<Remark> items;
  bool warning = false;     ///< shown in the colour of warnings
};

struct Document {
  std::string headline;  ///< one sentence for people
  std::vector<std::pair<std::string, std::variant<bool, std::int64_t, std::string>>> facts;  ///< the same for programs
  std::vector<Table> tables;
  std::vector<Remarks> remarks;
  std::string conclusion;  ///< last line for people; "" for none
};

/// `format` is text, markdown, csv or json. CSV holds one table: throws support::Error for a document with several.
std::string document(const Document &document, const std::string &format, const Style &style);

/// {fact: value, ..., table: [{}, ...], ..., remarks: [{"id", "text"}, ...], ...}
std::string json_document(const Document &document);

}  // namespace scope::render
