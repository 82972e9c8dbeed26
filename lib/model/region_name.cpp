#include "model/region_name.hpp"

namespace scope::model {

std::string operation_of(std::string_view procedure) {
  for (std::string_view prefix : {"MPI_", "MPIX_"}) {
    if (!procedure.starts_with(prefix)) continue;
    procedure.remove_prefix(prefix.size());
    break;
  }
  std::string operation(procedure);
  for (char &c : operation)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return operation;
}

}  // namespace scope::model
