#include "plan/kernel_check.h"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/profile_builder.h"

namespace rangefinder {
namespace {

using ::testing::HasSubstr;

// Two kernels; the first is a template.
Profile Program() {
  Profile profile = testing::ProfileBuilder::Build(
      "kernel a @ A\nkernel a @ A\nkernel saxpy @ B\n");
  for (std::size_t i = 0; i < 2; ++i) {
    Measurement& m = profile.measurements[i];
    m.demangled_name = profile.strings.Intern("void burn<256>(int, float*)");
    m.function_name = profile.strings.Intern("burn");
    m.mangled_name = profile.strings.Intern("_Z4burnILi256EEviPf");
  }
  return profile;
}

// "some" "none" "unknown", then the texts of the notes.
std::string Checked(const NcuOptions& ncu, const SelectionOptions& selection) {
  Notes notes;
  const KernelMatch match = CheckKernels(ncu, selection, Program(), notes);
  std::string text = match == KernelMatch::kSome   ? "some"
                     : match == KernelMatch::kNone ? "none"
                                                   : "unknown";
  for (const Note& note : notes.all()) text += "\n" + note.text;
  return text;
}

std::string Named(const std::string& name, const std::string& base) {
  NcuOptions ncu;
  ncu.options["kernel_name"] = {name};
  if (!base.empty()) ncu.options["kernel_name_base"] = {base};
  return Checked(ncu, {});
}

TEST(CheckKernels, AcceptsTheNamesThatNcuWouldFind) {
  EXPECT_EQ(Checked({}, {}), "some");
  EXPECT_EQ(Named("burn", ""), "some");  // ncu's default is the function
  EXPECT_EQ(Named("regex:^(void )?burn", "demangled"), "some");
  EXPECT_EQ(Named("regex:ILi256E", "mangled"), "some");
  EXPECT_EQ(Checked({}, {.kernels_include = {"burn<*", "nosuch"}}),
            "some\nregions.kernels.include: no kernel of the program matches "
            "'nosuch'; there are: burn<256>, saxpy");
}

TEST(CheckKernels, NamesTheNearestKernel) {
  EXPECT_EQ(Named("burm", "function"),
            "none\npipeline.ncu.ncu_cli.kernel_name: no kernel of the program "
            "is called 'burm'; did you mean 'burn'?");
  EXPECT_EQ(Named("burn", "demangled"),
            "none\npipeline.ncu.ncu_cli.kernel_name: no kernel of the program "
            "is called 'burn' by its demangled name, but a function is: add "
            "pipeline.ncu.ncu_cli.kernel_name_base=function");
  EXPECT_THAT(Named("bur*", "function"),
              HasSubstr("ncu takes a name as a whole, and patterns as "
                        "regex:EXPRESSION"));
  EXPECT_EQ(Checked({}, {.kernels_include = {"saxpi"}}),
            "none\nregions.kernels.include: no kernel of the program matches "
            "'saxpi'; did you mean 'saxpy'?");
}

TEST(CheckKernels, NcuMaySpellASignatureDifferently) {
  EXPECT_THAT(Named("void burn<(int)256>(int, float *)", "demangled"),
              HasSubstr("unknown\n"));
}

}  // namespace
}  // namespace rangefinder
