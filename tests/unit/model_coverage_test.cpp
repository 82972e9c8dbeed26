#include "model/coverage.hpp"

#include <gtest/gtest.h>

#include <algorithm>

using namespace scope::model;
using scope::wire::Call;

namespace {
std::string counted(Call call) { return counted_of(scope::wire::info(call)); }
}  // namespace

TEST(Coverage, HasEveryRowOfTheTableOnceByName) {
  auto rows = coverage();
  const auto timed = std::count_if(rows.begin(), rows.end(), [](const CoverageRow &row) { return row.timed; });
  EXPECT_EQ(timed, scope::wire::call_count);
  EXPECT_EQ(rows.size(), std::size(scope::wire::calls) + std::size(scope::wire::not_timed));
  auto not_before = [](const CoverageRow &a, const CoverageRow &b) { return a.name >= b.name; };
  EXPECT_EQ(std::adjacent_find(rows.begin(), rows.end(), not_before), rows.end());
  for (const auto &row : rows) {
    EXPECT_EQ(row.kind.empty() || row.counted.empty(), !row.timed) << row.name;
    EXPECT_EQ(row.reason.empty(), row.timed) << row.name;
  }
}

TEST(Coverage, RowsInFull) {
  auto rows = coverage();
  auto row = [&](const std::string &name) {
    return *std::find_if(rows.begin(), rows.end(), [&](const CoverageRow &candidate) { return candidate.name == name; });
  };
  EXPECT_EQ(row("MPI_Send_c"), (CoverageRow{"MPI_Send_c", true, "point-to-point", "sent", ""}));
  EXPECT_EQ(row("MPI_Wtime"), (CoverageRow{"MPI_Wtime", false, "", "", "returns a double and is itself a clock read"}));
}

TEST(Coverage, WordsForBytes) {
  EXPECT_EQ(counted(Call::MPI_Isend), "sent");
  EXPECT_EQ(counted(Call::MPI_Recv), "received");
  EXPECT_EQ(counted(Call::MPI_Irecv), "received at completion");
  EXPECT_EQ(counted(Call::MPI_Mrecv), "received");
  EXPECT_EQ(counted(Call::MPI_Sendrecv), "sent; received");
  EXPECT_EQ(counted(Call::MPI_Isendrecv), "sent; received at completion");
  EXPECT_EQ(counted(Call::MPI_Send_init), "sent at start");
  EXPECT_EQ(counted(Call::MPI_Precv_init), "received at completion");
  EXPECT_EQ(counted(Call::MPI_Start), "sent by what it starts");
  EXPECT_EQ(counted(Call::MPI_Waitall), "received, read and written by what it completes");
  EXPECT_EQ(counted(Call::MPI_Test), "received, read and written by what it completes");
  EXPECT_EQ(counted(Call::MPI_Probe), "none");
}

TEST(Coverage, WordsForBytesOfManyRanks) {
  EXPECT_EQ(counted(Call::MPI_Barrier), "none");
  EXPECT_EQ(counted(Call::MPI_Ibarrier), "none");
  EXPECT_EQ(counted(Call::MPI_Bcast), "sent by the root; received by the others");
  EXPECT_EQ(counted(Call::MPI_Ibcast), "sent by the root; received by the others at completion");
  EXPECT_EQ(counted(Call::MPI_Gatherv), "sent; received by the root");
  EXPECT_EQ(counted(Call::MPI_Reduce), "sent; received by the root");
  EXPECT_EQ(counted(Call::MPI_Scatter), "sent by the root; received");
  EXPECT_EQ(counted(Call::MPI_Allreduce), "sent; received");
  EXPECT_EQ(counted(Call::MPI_Neighbor_alltoallw), "sent; received");
  EXPECT_EQ(counted(Call::MPIX_Allreduce_init), "sent at start; received at completion");
  EXPECT_EQ(counted(Call::MPI_Comm_split), "none");
}

TEST(Coverage, WordsForBytesOfWindowsAndFiles) {
  EXPECT_EQ(counted(Call::MPI_Put), "sent");
  EXPECT_EQ(counted(Call::MPI_Get), "received");
  EXPECT_EQ(counted(Call::MPI_Rget), "received at completion");
  EXPECT_EQ(counted(Call::MPI_Compare_and_swap), "sent; received");
  EXPECT_EQ(counted(Call::MPI_File_read_at), "read");
  EXPECT_EQ(counted(Call::MPI_File_write_all), "written");
  EXPECT_EQ(counted(Call::MPI_File_iread), "read at completion");
  EXPECT_EQ(counted(Call::MPI_File_iwrite), "written at completion");
  EXPECT_EQ(counted(Call::MPI_File_seek), "none");
}
