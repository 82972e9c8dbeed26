#include <gtest/gtest.h>

#include "model/region_name.hpp"

using namespace scope::model;

namespace {

TEST(RegionName, OperationIsTheLowerCaseProcedure) {
  EXPECT_EQ(operation_of("MPI_Send"), "send");
  EXPECT_EQ(operation_of("MPIX_Allreduce_init"), "allreduce_init");
  EXPECT_EQ(operation_of("MPI_Send_c"), "send_c");
  EXPECT_EQ(operation_of("Send"), "send");
}

TEST(RegionName, HasOneForm) {
  EXPECT_EQ(format_region_name({"send", "point-to-point", 80, 1, -1, 7, 0, ""}),
            "mpi:send kind=point-to-point bytes=80 peer=1 root=-1 tag=7 comm=0");
  EXPECT_EQ(format_region_name({"wait", "wait", -1, -1, -1, -1, -1, "irecv"}),
            "mpi:wait kind=wait bytes=-1 peer=-1 root=-1 tag=-1 comm=-1 request=irecv");
}

TEST(RegionName, ComesBack) {
  for (const RegionName &name : {RegionName{"bcast", "collective", 9223372036854775807, -1, 3, -1, 12, ""},
                                 RegionName{"waitall", "wait", 0, 5, -1, 2147483647, 1, "isend"}})
    EXPECT_EQ(parse_region_name(format_region_name(name)), name);
}

TEST(RegionName, NothingElseIsOne) {
  const std::string good = "mpi:send kind=point-to-point bytes=1 peer=1 root=-1 tag=7 comm=0";
  ASSERT_TRUE(parse_region_name(good));
  for (const char *text :
       {"", "mpi:", "solve", "send kind=point-to-point bytes=1 peer=1 root=-1 tag=7 comm=0",
        "MPI:send kind=point-to-point bytes=1 peer=1 root=-1 tag=7 comm=0",
        "mpi: kind=point-to-point bytes=1 peer=1 root=-1 tag=7 comm=0", "mpi:send kind= bytes=1 peer=1 root=-1 tag=7 comm=0",
        "mpi:send kind=point-to-point bytes=1 peer=1 root=-1 tag=7", "mpi:send bytes=1 kind=wait peer=1 root=-1 tag=7 comm=0",
        "mpi:send kind=wait bytes=1 peer=1 tag=7 root=-1 comm=0", "mpi:send kind=wait bytes=x peer=1 root=-1 tag=7 comm=0",
        "mpi:send kind=wait bytes=1k peer=1 root=-1 tag=7 comm=0", "mpi:send kind=wait bytes= peer=1 root=-1 tag=7 comm=0",
        "mpi:send kind=wait bytes=9223372036854775808 peer=1 root=-1 tag=7 comm=0",
        "mpi:send kind=wait bytes=1 peer=2147483648 root=-1 tag=7 comm=0",
        "mpi:send  kind=wait bytes=1 peer=1 root=-1 tag=7 comm=0"})
    EXPECT_FALSE(parse_region_name(text)) << text;
  for (const char *behind : {" ", " request=", " request=isend ", " other=1", "x", " request=isend more"})
    EXPECT_FALSE(parse_region_name(good + behind)) << behind;
  EXPECT_TRUE(parse_region_name(good + " request=isend"));
}

}  // namespace
