#include "model/coverage.hpp"

#include <algorithm>

namespace scope::model {
namespace {

using wire::Mode;
using wire::Rule;

/// The two directions of a rule in words; nullptr where there is none.
struct Directions {
  const char *sent = nullptr, *received = nullptr;
};

Directions directions_of(Rule rule) {
  switch (rule) {
    case Rule::SEND:
    case Rule::PSEND:
    case Rule::PUT: return {"sent", nullptr};
    case Rule::RECV:
    case Rule::MRECV:
    case Rule::PRECV:
    case Rule::GET: return {nullptr, "received"};
    case Rule::BCAST: return {"sent by the root", "received by the others"};
    case Rule::GATHER:
    case Rule::GATHERV:
    case Rule::REDUCE: return {"sent", "received by the root"};
    case Rule::SCATTER:
    case Rule::SCATTERV: return {"sent by the root", "received"};
    case Rule::READ: return {nullptr, "read"};
    case Rule::WRITE: return {"written", nullptr};
    case Rule::NOTHING: return {};
    default: return rule < Rule::READ ? Directions{"sent", "received"} : Directions{};
  }
}

std::string joined(const std::string &sent, const std::string &received) {
  return sent + (sent.empty() || received.empty() ? "" : "; ") + received;
}

}  // namespace

std::string counted_of(const wire::CallInfo &call) {
  if (call.rule == Rule::START || call.rule == Rule::STARTALL) return "sent by what it starts";
  if (call.kind == wire::Kind::WAIT) return "received, read and written by what it completes";
  auto words = directions_of(call.rule);
  if (!words.sent && !words.received) return "none";
  std::string sent = words.sent ? words.sent : "", received = words.received ? words.received : "";
  if (words.received && call.mode != Mode::BLOCKING) received += " at completion";
  if (words.sent && call.mode == Mode::PERSISTENT) sent += " at start";
  // What a file took is known from the status only.
  if (call.rule == Rule::WRITE && call.mode == Mode::NONBLOCKING) sent += " at completion";
  return joined(sent, received);
}

std::vector<CoverageRow> coverage() {
  std::vector<CoverageRow> rows;
  for (const auto &call : wire::calls) rows.push_back({call.name, true, wire::kind_name(call.kind), counted_of(call), ""});
  for (const auto &left : wire::not_timed) rows.push_back({left.name, false, "", "", left.reason});
  std::sort(rows.begin(), rows.end(), [](const CoverageRow &a, const CoverageRow &b) { return a.name < b.name; });
  return rows;
}

}  // namespace scope::model
