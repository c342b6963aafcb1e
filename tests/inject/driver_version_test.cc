#include "inject/trace/driver_version.h"

#include <gtest/gtest.h>

namespace rangefinder::inject {
namespace {

const char* VersionIn(const char* text) {
  static char version[16];
  return DriverVersionIn(text, version) ? version : "none";
}

TEST(DriverVersion, IsTheFirstLinesVersion) {
  EXPECT_STREQ(
      VersionIn("NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  "
                "580.159.04  Release Build  (root@host)\n"
                "GCC version:  gcc version 12.3.0\n"),
      "580.159.04");
  EXPECT_STREQ(VersionIn("NVRM version: 535.54"), "535.54");
}

TEST(DriverVersion, IsNoneWhereNoneIsSaid) {
  EXPECT_STREQ(VersionIn(""), "none");
  EXPECT_STREQ(VersionIn("\n\n"), "none");
  EXPECT_STREQ(VersionIn("NVRM version:\nGCC version: 12.3.0"), "none");
  EXPECT_STREQ(VersionIn("1.2345678901234567890"), "none");
}

}  // namespace
}  // namespace rangefinder::inject
