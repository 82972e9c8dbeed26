#include "launch/surroundings.hpp"

#include <gtest/gtest.h>

using namespace scope::launch;

TEST(Surroundings, HidepidIsThatOfTheLastMountOnProc) {
  EXPECT_EQ(hidepid_of("proc /proc proc rw,nosuid,relatime 0 0\n"), "");
  EXPECT_EQ(hidepid_of("proc /proc proc rw,nosuid,hidepid=2,gid=4 0 0\n"), "2");
  EXPECT_EQ(hidepid_of("proc /proc proc rw,hidepid=invisible 0 0\n"), "invisible");
  EXPECT_EQ(hidepid_of("proc /proc proc rw,hidepid=off 0 0\nproc /chroot/proc proc hidepid=2 0 0\n"), "");
  EXPECT_EQ(hidepid_of("proc /proc proc hidepid=0 0 0\nproc /proc proc rw,hidepid=1 0 0\n"), "1");
  EXPECT_EQ(hidepid_of("proc /proc proc hidepid=2 0 0\nproc /proc proc rw 0 0\n"), "");
  EXPECT_EQ(hidepid_of(""), "");
}

TEST(Surroundings, TheCounterNeedsBothFlags) {
  EXPECT_TRUE(has_constant_counter("model\t: x\nflags\t\t: fpu constant_tsc rep_good nonstop_tsc\nbugs\t:\n"));
  EXPECT_FALSE(has_constant_counter("model\t: x\nflags\t\t: fpu constant_tsc\nbugs\t: nonstop_tsc \n"));
  EXPECT_FALSE(has_constant_counter("model\t: x\nflags\t\t: fpu nonstop_tsc\n"));
  EXPECT_FALSE(has_constant_counter("model\t: x\nflags\t\t: constant_tsc_x nonstop_tsc\n"));
  EXPECT_FALSE(has_constant_counter("model\t: constant_tsc nonstop_tsc\n"));
}

TEST(Surroundings, TheEnvironmentSaysWhatIsPreloadedAndWhereTemporaryFilesGo) {
  auto found = look_around({"LD_PRELOAD=/x/a.so b.so", "TMPDIR=/dev/shm"});
  EXPECT_EQ(found.preload, "/x/a.so b.so");
  EXPECT_EQ(found.temporary, "/dev/shm");
  EXPECT_EQ(look_around({}).temporary, "/tmp");
  EXPECT_EQ(look_around({"TMPDIR="}).temporary, "/tmp");
  EXPECT_EQ(look_around({}).preload, "");
  EXPECT_FALSE(look_around({"TMPDIR=/usr/bin"}).temporary_noexec);
}
