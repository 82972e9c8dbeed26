#include "render/document.hpp"

#include "render/escape.hpp"
#include "support/error.hpp"

namespace scope::render {
namespace {

using Emphasis = std::string (*)(const std::string &, const Style &);

std::string lines(const std::string &data, const Style &style, Emphasis emphasis = nullptr) {
  std::string out;
  for (const std::string &line : wrap(plain(data), style.width, 2)) out += (emphasis ? emphasis(line, style) : line) + "\n";
  return out;
}

std::string gap(const std::string &before) { return before.empty() ? "" : "\n"; }

std::string text_document(const Document &document, const Style &style) {
  std::string out = lines(document.headline, style, bold);
  for (const Table &table : document.tables) {
    if (table.rows.empty()) continue;
    std::vector<std::string> dropped;
    out += gap(out) + lines(table.title, style, bold) + lines(table.note, style, dim) + text_table(table, style, &dropped);
    if (table.more) out += lines("... and " + std::to_string(table.more) + " more (--top 0 shows all)", style, dim);
    std::string names;
    for (const std::string &title : dropped) names += (names.empty() ? "" : ", ") + title;
    if (!names.empty()) out += lines("Not shown for want of width: " + names, style, dim);
  }
  for (const Remarks &remarks : document.remarks) {
    if (remarks.items.empty()) continue;
    out += gap(out) + lines(remarks.title, style, bold);
    for (const Remark &remark : remarks.items) out += lines("- " + remark.text, style, remarks.warning ? warning_color : nullptr);
  }
  return document.conclusion.empty() ? out : out + gap(out) + lines(document.conclusion, style);
}

std::string markdown_document(const Document &document) {
  std::string out = document.headline.empty() ? "" : "# " + markdown_escape(document.headline) + "\n";
  for (const Table &table : document.tables) {
    if (table.rows.empty()) continue;
    out += gap(out) + "## " + markdown_escape(table.title) + "\n\n";
    if (!table.note.empty()) out += markdown_escape(table.note) + "\n\n";
    out += markdown_table(table);
    if (table.more) out += "\n... and " + std::to_string(table.more) + " more\n";
  }
  for (const Remarks &remarks : document.remarks) {
    if (remarks.items.empty()) continue;
    out += gap(out) + "## " + markdown_escape(remarks.title) + "\n\n";
    for (const Remark &remark : remarks.items) out += "- " + markdown_escape(remark.text) + "\n";
  }
  return document.conclusion.empty() ? out : out + gap(out) + markdown_escape(document.conclusion) + "\n";
}

}  // namespace

std::string document(const Document &document, const std::string &format, const Style &style) {
  if (format == "json") return json_document(document);
  if (format == "markdown") return markdown_document(document);
  if (format != "csv") return text_document(document, style);
  if (document.tables.size() != 1)
    throw support::Error("--format csv holds one table, and there are " + std::to_string(document.tables.size()) +
                         " here; use --format json.");
  return csv_table(document.tables.front());
}

}  // namespace scope::render
