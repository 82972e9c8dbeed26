#pragma once
// Which MPI procedures are timed, what is counted of them, and why the others are left alone: the table in words.

#include <string>
#include <vector>

#include "wire/mpi_calls.hpp"

namespace scope::model {

struct CoverageRow {
  std::string name;
  bool timed = false;
  std::string kind;     ///< "" if not timed
  std::string counted;  ///< of bytes, "none" for a procedure that has none; "" if not timed
  std::string reason;   ///< "" if timed
  bool operator==(const CoverageRow &) const = default;
};

/// Every procedure of the table, _c forms too, by name.
std::vector<CoverageRow> coverage();

/// "sent; received at completion": which bytes calls of the procedure book, and when, where that is not at their return.
std::string counted_of(const wire::CallInfo &call);

}  // namespace scope::model
