#include "ingest/nsys/nsys_kernel_csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rangefinder {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view kHeader =
    "Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),"
    "StdDev (ns),Name\n";

std::vector<KernelSummaryRow> ReadRows(const std::string& text) {
  auto rows = ReadKernelSummary(text);
  EXPECT_TRUE(rows.ok()) << rows.error().message();
  return rows.ok() ? std::move(rows).value() : std::vector<KernelSummaryRow>();
}

std::string Refused(const std::string& text) {
  const auto rows = ReadKernelSummary(text);
  EXPECT_FALSE(rows.ok());
  if (rows.ok()) return "";
  EXPECT_EQ(rows.error().code(), ErrorCode::kCorrupt);
  return rows.error().message();
}

TEST(KernelSummary, ReadsNamesWithCommasAndQuotes) {
  const auto rows = ReadRows(std::string(kHeader) +
                             "75.5,3000,3,1000.0,1000.0,500,1500,1.0,"
                             "\"void f<int, \"\"x\"\">(T1 *)\"\r\n"
                             "24.5,1000,1,1000.0,1000.0,1000,1000,0.0,g\n");
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].name, "void f<int, \"x\">(T1 *)");
  EXPECT_EQ(rows[0].calls, 3u);
  EXPECT_EQ(rows[0].total_ns, 3000);
  EXPECT_DOUBLE_EQ(rows[0].share.value(), 0.755);
  EXPECT_EQ(rows[0].min_ns, 500);
  EXPECT_EQ(rows[0].max_ns, 1500);
  EXPECT_EQ(rows[1].name, "g");
}

TEST(KernelSummary, TakesTheUnitFromTheHeader) {
  const auto rows = ReadRows(
      "\"Time (%)\",\"Total Time (us)\",\"Instances\",\"Min (us)\",\"Max "
      "(ms)\",\"Name\"\n\"100.0\",\"1,234.5\",\"2\",\"1.5\",\"2\",\"g\"\n");
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_DOUBLE_EQ(rows[0].total_ns, 1234500);
  EXPECT_DOUBLE_EQ(rows[0].min_ns.value(), 1500);
  EXPECT_DOUBLE_EQ(rows[0].max_ns.value(), 2e6);
}

TEST(KernelSummary, SkipsTextBeforeTheTableAndEndsAtAnEmptyLine) {
  const std::string text =
      "Processing [run.sqlite] with [reports/cuda_gpu_kern_sum.py]... \n\n" +
      std::string(kHeader) +
      "100.0,10,1,10.0,10.0,10,10,0.0,f\n\nProcessing [run.sqlite]\n";
  EXPECT_TRUE(LooksLikeKernelSummary(text));
  EXPECT_EQ(ReadRows(text).size(), 1u);
}

TEST(KernelSummary, RecognizesItsHeader) {
  EXPECT_TRUE(LooksLikeKernelSummary(
      "Time(%),Total Time (ns),Instances,Average,Minimum,Maximum,Name\n"));
  EXPECT_FALSE(LooksLikeKernelSummary(
      "Time (%),Total Time (ns),Num Calls,Avg (ns),Name\n1,1,1,1,f\n"));
  EXPECT_FALSE(LooksLikeKernelSummary("SQLite format 3"));
  EXPECT_FALSE(LooksLikeKernelSummary(""));
}

TEST(KernelSummary, NamesTheMalformedLine) {
  const std::string head(kHeader);
  EXPECT_THAT(Refused(head + "1,2,3\n"),
              HasSubstr("line 2: 3 fields, where the header has 9"));
  EXPECT_THAT(Refused(head + "1,x,1,1,1,1,1,1,f\n"),
              HasSubstr("line 2: Total Time: 'x'"));
  EXPECT_THAT(Refused(head + "1,1,1,1,1,1,1,1,f\n1,1,1,1,1,1,1,1,\"f\n\n"),
              HasSubstr("line 3: a quote is never closed"));
  EXPECT_THAT(Refused(head + "1,1,1,1,1,1,1,1,\"f\"g\n"),
              HasSubstr("line 2: text after a closing quote"));
  EXPECT_THAT(Refused(head + "1,1,1.5,1,1,1,1,1,f\n"),
              HasSubstr("Instances: not a whole number"));
  EXPECT_THAT(Refused("Name,Instances,Total Time (miles)\nf,1,1\n"),
              HasSubstr("'miles' is not a unit of time"));
  EXPECT_THAT(Refused("no table\n"), HasSubstr("cuda_gpu_kern_sum"));
}

}  // namespace
}  // namespace rangefinder
