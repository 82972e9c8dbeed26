#include "model/messages.hpp"

#include <algorithm>
#include <string_view>

#include "model/call_table.hpp"
#include "model/limits.hpp"
#include "wire/live_block.hpp"

namespace scope::model {
namespace {

using wire::Kind;
using wire::Mode;
using wire::Rule;

bool receives(const wire::CallInfo *call) { return call && (call->rule == Rule::RECV || call->rule == Rule::MRECV); }

/// Calls after which the counts of sends and of receives need not match although every message arrived.
bool blurs(const Signature &signature, const wire::CallInfo *call) {
  switch (call->rule) {
    case Rule::PCONTROL:
    case Rule::REQUEST_FREE:
    case Rule::CANCEL:
    case Rule::PSEND:
    case Rule::PRECV:
    case Rule::SENDRECV:  // its entry has no source
    case Rule::SENDRECV_REPLACE: return true;
    default: break;
  }
  bool of_messages = call->kind == Kind::POINT_TO_POINT || call->kind == Kind::WAIT;
  return of_messages && (signature.errors > 0 || signature.peer == wire::folded || signature.tag == wire::folded);
}

bool any_lost(const RankRecord &record) {
  const Folded &folded = record.folded;
  return folded.tags || folded.peers || folded.communicators || record.untracked_requests || record.lost_entries ||
         record.abandoned;
}

/// What a signature is: messages sent, received, or receives that were begun.
struct Meaning {
  bool sent = false, received = false, begun = false;
  bool by_completions = false;
};

Meaning meaning_of(const wire::CallInfo *call, const wire::CallInfo *request) {
  bool starts = call->rule == Rule::START || call->rule == Rule::STARTALL;
  if (starts && receives(request)) return {false, false, true, true};
  if (call->kind == Kind::WAIT) return {false, receives(request), false, true};
  if (receives(call)) return {false, call->mode == Mode::BLOCKING, call->mode == Mode::NONBLOCKING, false};
  Transfer transfer = transfer_of(call, request);
  return {transfer.traffic == Traffic::p2p, false, false, transfer.by_completions};
}

}  // namespace

Messages messages_of(const RankRecord &record, const std::vector<int> &comm_ids) {
  Messages messages;
  messages.exact = !any_lost(record);
  for (const Signature &signature : record.signatures) {
    const wire::CallInfo *call = find_call(signature.call);
    const wire::CallInfo *request = signature.request_call.empty() ? nullptr : find_call(signature.request_call);
    if (!call || blurs(signature, call)) {
      messages.exact = false;
      continue;
    }
    Meaning meaning = meaning_of(call, request);
    if (!meaning.sent && !meaning.received && !meaning.begun) continue;
    auto count = static_cast<std::int64_t>(
        std::min(meaning.by_completions ? signature.completions : signature.calls, static_cast<std::uint64_t>(largest_count)));
    if (meaning.begun) add_to(messages.open_receives, count);
    if (meaning.received && meaning.by_completions) add_to(messages.open_receives, -count);
    if (meaning.begun || signature.peer < 0) continue;  // MPI_PROC_NULL
    bool known = signature.comm < comm_ids.size();
    if (!known) messages.exact = false;
    if (!known || record.comms[signature.comm].remote_size > 0) continue;
    MessageKey key{comm_ids[signature.comm], signature.peer, signature.tag};
    add_to(meaning.sent ? messages.sent[key] : messages.received[key], count);
  }
  return messages;
}

}  // namespace scope::model
