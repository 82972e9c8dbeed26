#include "library.hpp"

#include "resolve.hpp"

namespace scope::preload {

Library library;

void load_library(const void *any) {
  remember_library(any);
  auto find = [](auto &member, const char *name) { member = reinterpret_cast<std::remove_reference_t<decltype(member)>>(library_function(name)); };
  find(library.initialized, "PMPI_Initialized");
  find(library.comm_rank, "PMPI_Comm_rank");
  find(library.comm_size, "PMPI_Comm_size");
  find(library.comm_remote_size, "PMPI_Comm_remote_size");
  find(library.comm_test_inter, "PMPI_Comm_test_inter");
  find(library.comm_group, "PMPI_Comm_group");
  find(library.comm_remote_group, "PMPI_Comm_remote_group");
  find(library.comm_get_name, "PMPI_Comm_get_name");
  find(library.comm_get_parent, "PMPI_Comm_get_parent");
  find(library.group_translate_ranks, "PMPI_Group_translate_ranks");
  find(library.group_size, "PMPI_Group_size");
  find(library.group_free, "PMPI_Group_free");
  find(library.type_size_x, "PMPI_Type_size_x");
  find(library.topo_test, "PMPI_Topo_test");
  find(library.cartdim_get, "PMPI_Cartdim_get");
  find(library.cart_shift, "PMPI_Cart_shift");
  find(library.graph_neighbors_count, "PMPI_Graph_neighbors_count");
  find(library.graph_neighbors, "PMPI_Graph_neighbors");
  find(library.dist_graph_neighbors_count, "PMPI_Dist_graph_neighbors_count");
  find(library.dist_graph_neighbors, "PMPI_Dist_graph_neighbors");
  find(library.get_library_version, "PMPI_Get_library_version");
  find(library.get_version, "PMPI_Get_version");
  find(library.query_thread, "PMPI_Query_thread");
  find(library.comm_f2c, "PMPI_Comm_f2c");
}

}  // namespace scope::preload
