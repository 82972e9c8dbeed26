#pragma once
// A table of the report as HTML: complete and readable without scripts; what the page's script sorts and selects by is in
// attributes (data-v: the raw number; data-call, data-rank, ...: what the row is about).

#include <string>

#include "render/table.hpp"

namespace scope::render {

/// The <table> element. Columns that are not shown elsewhere have the class "extra", the page hides them until asked.
std::string html_table(const Table &table);

/// "MPI_Send" as text; a text of more than 160 bytes can be unfolded, so that it does not push all else aside.
std::string html_data(const std::string &data);

}  // namespace scope::render
