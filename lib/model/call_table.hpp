#pragma once
// What the merge needs to know of a procedure, by the name that a dump gives. Internal to the model.

#include <cstdint>
#include <string_view>

#include "wire/mpi_calls.hpp"

namespace scope::model {

/// nullptr for a procedure that this build does not know: dumps of a later minor version may hold some.
const wire::CallInfo *find_call(std::string_view procedure);
/// By the lower-case name of region names, "send_init".
const wire::CallInfo *find_operation(std::string_view operation);

/// "point-to-point", "wait", ...; "other" for nullptr.
const char *kind_of(const wire::CallInfo *call);

/// Whether calls of the procedure carry data themselves; those that only prepare a persistent operation don't.
bool moves_data(const wire::CallInfo *call);

/// Calls that return at once whether or not anything came: Test*, Iprobe, Improbe, Request_get_status.
bool only_asks(const wire::CallInfo &call);

/// Whether all ranks of the communicator must make the call before it can return everywhere. Nonblocking and persistent
/// collectives: their completion does.
bool is_collective(const wire::CallInfo &call);

enum class Traffic { none, p2p, rma };

/// What a signature's peer and bytes mean for the peer matrix. `request` is the operation of a wait or start, or nullptr.
struct Transfer {
  Traffic traffic = Traffic::none;
  bool sends_only = false;     ///< bytes_received belong to another message
  bool by_completions = false; ///< messages are counted in completions, else in calls
  bool no_message = false;     ///< bytes of a message that another signature counts
};
Transfer transfer_of(const wire::CallInfo *call, const wire::CallInfo *request);

}  // namespace scope::model
