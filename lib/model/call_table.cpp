#include "model/call_table.hpp"

#include <string>
#include <unordered_map>

#include "model/call_names.hpp"
#include "model/region_name.hpp"

namespace scope::model {
namespace {

using wire::Mode;
using wire::Rule;

bool sends_to_peer(Rule rule) {
  return rule == Rule::SEND || rule == Rule::SENDRECV || rule == Rule::SENDRECV_REPLACE || rule == Rule::PSEND;
}

bool accesses_peer(Rule rule) {
  switch (rule) {
    case Rule::PUT:
    case Rule::GET:
    case Rule::GET_ACCUMULATE:
    case Rule::FETCH_AND_OP:
    case Rule::COMPARE_AND_SWAP: return true;
    default: return false;
  }
}

}  // namespace

const wire::CallInfo *find_call(std::string_view procedure) {
  static const auto table = [] {
    std::unordered_map<std::string_view, const wire::CallInfo *> result;
    for (const wire::CallInfo &call : wire::calls) result.emplace(call.name, &call);
    return result;
  }();
  auto found = table.find(procedure);
  return found == table.end() ? nullptr : found->second;
}

const wire::CallInfo *find_operation(std::string_view operation) {
  static const auto table = [] {
    std::unordered_map<std::string, const wire::CallInfo *> result;
    for (const wire::CallInfo &call : wire::calls) result.emplace(operation_of(call.name), &call);
    return result;
  }();
  auto found = table.find(std::string(operation));
  return found == table.end() ? nullptr : found->second;
}

const char *kind_of(const wire::CallInfo *call) { return wire::kind_name(call ? call->kind : wire::Kind::OTHER); }

bool moves_data(const wire::CallInfo *call) {
  return call && call->rule > Rule::NOTHING && call->rule <= Rule::WRITE && call->mode != Mode::PERSISTENT;
}

bool only_asks(std::string_view procedure) {
  const wire::CallInfo *call = find_call(procedure);
  return call && (only_asks(*call) || procedure == "MPI_Parrived");
}

bool only_asks(const wire::CallInfo &call) {
  switch (call.rule) {
    case Rule::TEST:
    case Rule::TESTALL:
    case Rule::TESTANY:
    case Rule::TESTSOME:
    case Rule::REQUEST_STATUS: return true;
    case Rule::PROBE:
    case Rule::MPROBE: return call.find(wire::Role::FLAG) >= 0;
    default: return false;
  }
}

bool is_collective(const wire::CallInfo &call) {
  const std::string_view name = call.name;
  switch (call.rule) {
    // Of a subset of the communicator, or of two communicators.
    case Rule::COMM_CREATE:
      return name != "MPI_Comm_create_group" && !name.starts_with("MPI_Intercomm_create") && name != "MPI_Comm_join" &&
             name != "MPI_Comm_create_from_group";
    case Rule::FINALIZE:
    case Rule::COMM_FREE:
    case Rule::WIN_CREATE:
    case Rule::WIN_FREE:
    case Rule::FILE_OPEN:
    case Rule::FILE_CLOSE: return true;
    default: break;
  }
  if (call.kind == wire::Kind::IO) return name.ends_with("_all") || name.ends_with("_all_c");
  return call.kind == wire::Kind::COLLECTIVE || name == "MPI_Win_fence";
}

Transfer transfer_of(const wire::CallInfo *call, const wire::CallInfo *request) {
  if (!call) return {};
  if (call->rule == Rule::START || call->rule == Rule::STARTALL) {
    if (request && sends_to_peer(request->rule)) return {Traffic::p2p, true, true, false};
    return {};
  }
  if (call->mode == Mode::PERSISTENT) return {};
  if (sends_to_peer(call->rule)) return {Traffic::p2p, true, false, false};
  if (accesses_peer(call->rule)) return {Traffic::rma, false, false, false};
  // What a request-based Get brings is booked where its request completes.
  if (call->kind == wire::Kind::WAIT && request && accesses_peer(request->rule)) return {Traffic::rma, false, false, true};
  return {};
}

}  // namespace scope::model
