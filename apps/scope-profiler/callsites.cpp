#include "callsites.hpp"

#include <set>

#include "symbols/resolve.hpp"

namespace scope::app {

namespace {

using symbols::Trouble;

void resolve(symbols::Resolver &resolver, model::SiteFrame &frame) {
  if (frame.python || frame.module.empty()) return;
  auto location = resolver.find(frame.module, frame.build_id, static_cast<std::uint64_t>(frame.offset));
  frame.function = location.function;
  frame.file = location.file;
  frame.line = location.line;
}

/// "a, b and 3 more".
std::string list(const std::set<std::string> &files) {
  std::string text;
  std::size_t shown = 0;
  for (const auto &file : files) {
    if (shown == 3) return text + " and " + std::to_string(files.size() - shown) + " more";
    text += (shown++ ? ", " : "") + file;
  }
  return text;
}

void warn_of(const std::set<std::string> &files, const char *id, const std::string &what, model::Profile &profile) {
  if (!files.empty()) profile.warnings.push_back({id, "Call sites in " + list(files) + what});
}

}  // namespace

void resolve_callsites(model::Profile &profile) {
  symbols::Resolver resolver;
  std::set<std::string> seen, unreadable, changed, stripped;
  for (auto &row : profile.callsites) {
    for (auto &frame : row.stack) {
      resolve(resolver, frame);
      if (!frame.python && !frame.module.empty()) seen.insert(frame.module);
    }
  }
  for (const auto &file : seen) {
    auto trouble = resolver.trouble(file);
    if (trouble == Trouble::unreadable) unreadable.insert(file);
    if (trouble == Trouble::changed) changed.insert(file);
    if (trouble == Trouble::stripped) stripped.insert(file);
  }
  warn_of(unreadable, "callsites-unreadable", " are addresses only: the file can't be read here. Merge where it is.", profile);
  warn_of(changed, "callsites-changed", " are addresses only: the file was built anew since it ran (its build id is another).", profile);
  warn_of(stripped, "callsites-without-lines", " have no lines: build with -g to see them.", profile);
}

void resolve_callsites(std::vector<model::LiveWorld> &worlds) {
  symbols::Resolver resolver;
  for (auto &world : worlds) {
    for (auto &rank : world.ranks) {
      for (auto &frame : rank.site) resolve(resolver, frame);
    }
  }
}

}  // namespace scope::app
