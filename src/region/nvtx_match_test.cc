#include <fstream>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

#include "region/nvtx_expression.h"
#include "tests/support/profile_builder.h"

namespace rangefinder::ncu {
namespace {

using rangefinder::testing::BuildProfile;
using rangefinder::testing::kContextsProgram;
using rangefinder::testing::kNestedProgram;

// The number of measurements that `text` selects; -1 where ncu refuses it.
int Count(const Profile& profile, std::string_view text,
          NvtxScope scope = NvtxScope::kThread) {
  const Result<NvtxExpression> expression = ParseNvtxExpression(text);
  if (!expression.ok()) return -1;
  int count = 0;
  for (const Measurement& m : profile.measurements)
    count += Matches(expression.value(), profile, m, scope) ? 1 : 0;
  return count;
}

struct Case {
  std::string_view expression;
  int count;
};

TEST(NvtxMatch, SelectsAsManyAsNcuDidLive) {
  const Profile profile = BuildProfile(kNestedProgram);
  ASSERT_EQ(profile.measurements.size(), 28U);
  for (const auto& [expression, count] : {
           Case{"A/", 6},
           {"A", 0},
           {"A/*", 6},
           {"A/A::A1/", 3},
           {"A/*/A::A1/", 3},
           {"A/+", 3},
           {"A/+/A::A1", 0},
           {"A::A1/", 3},
           {"A::A1]", 3},
           {"[A", 6},
           {"[A]", 0},
           {"A]", 3},
           {"[A::A1", 0},
           {"LLM@*", 0},
           {"LLM@*/", -1},
           {"*/", -1},
           {"LLM@", -1},
           {"*@prefill/", 0},
           {"prefill/", 0},
           {"decode*", 0},
           {"LLM@decode*/", 0},
           {"LLM@regex:decode.*/", 0},
           {"regex:decode.*/", 0},
           {"regex:LLM@decode.*/", 6},
           {"regex:.*@decode_.*/", 6},
           {"regex:LL@decode_0/", 2},
           {"S1", 2},
           {"S1,S2", 1},
           {"S1+S2", 0},
           {"regex:S.", 3},
           {"regex:S[12]", -1},
           {"A/,B/", 0},
       }) {
    EXPECT_EQ(Count(profile, expression), count) << expression;
  }
}

TEST(NvtxMatch, TheContextsAreInTheExpectedOrder) {
  const Profile profile = BuildProfile(kContextsProgram);
  ASSERT_EQ(profile.measurements.size(), 55U);
  EXPECT_EQ(Count(profile, "r0/r1"), 1);
}

// ---- recorded tables of ncu's own selections
// ---------------------------------

// The measurements that the words of one line select, as in the table;
// "refused" where an expression is refused.
std::string Select(const Profile& profile, std::string line) {
  NvtxFilter filter;
  while (true) {
    const std::size_t end = line.find(" ;; ");
    std::string text = line.substr(0, end);
    const bool exclude = text.starts_with("NOT ");
    if (exclude) text.erase(0, 4);
    auto expression = ParseNvtxExpression(text);
    if (!expression.ok()) return "refused";
    (exclude ? filter.exclude : filter.include)
        .push_back(std::move(expression).value());
    if (end == std::string::npos) break;
    line.erase(0, end + 4);
  }
  std::string ids;
  for (std::size_t i = 0; i < profile.measurements.size(); ++i) {
    if (Selects(filter, profile, profile.measurements[i]))
      ids += (ids.empty() ? "" : ",") + std::to_string(i);
  }
  return ids.empty() ? "-" : ids;
}

// Each line of a table is an expression, ncu's exit status, the ids it kept and
// its message (tests/gpu/nvtx_filter_table.sh).
void ExpectTable(const std::string& name, const Profile& profile,
                 std::size_t least) {
  std::ifstream table(std::string(RANGEFINDER_SOURCE_DIR) + "/tests/fixtures/" +
                      name);
  std::size_t rows = 0;
  for (std::string row; std::getline(table, row); ++rows) {
    std::istringstream columns(row);
    std::string expression;
    std::string status;
    std::string ids;
    std::getline(columns, expression, '\t');
    std::getline(columns, status, '\t');
    std::getline(columns, ids, '\t');
    EXPECT_EQ(Select(profile, expression), status == "0" ? ids : "refused")
        << expression;
  }
  EXPECT_GE(rows, least);
}

TEST(NvtxMatch, SelectsWhatNcuSelectsInTheNestedProgram) {
  ExpectTable("nvtx_expressions.tsv", BuildProfile(kNestedProgram), 180);
}

TEST(NvtxMatch, SelectsWhatNcuSelectsInEveryKindOfContext) {
  ExpectTable("nvtx_contexts.tsv", BuildProfile(kContextsProgram), 330);
}

TEST(NvtxMatch, ProcessScopePoolsTheThreads) {
  const Profile profile = BuildProfile(kNestedProgram);
  EXPECT_EQ(Count(profile, "T1/", NvtxScope::kThread), 2);
  EXPECT_EQ(Count(profile, "T1/", NvtxScope::kProcess), 3);
}

}  // namespace
}  // namespace rangefinder::ncu
