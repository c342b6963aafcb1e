// A document with a block of every kind, for the tests of writers.

#pragma once

#include "document/document.h"

namespace rangefinder {

inline Table SampleTable() {
  using Kind = TableColumn::Kind;
  return {.columns = {{"region", Kind::kText},
                      {"", Kind::kBar},
                      {"time"},
                      {"launches"},
                      {"DRAM % of peak", Kind::kNumber, 2},
                      {"max/mean", Kind::kNumber, 1}},
          .rows = {{.cells = {"step", BarCell(1), TimeOf(9e6), CountOf(12345),
                              EstimateOf(41.23, 1.6, "%"), RatioOf(1.5)}},
                   {.cells = {"a|b\x1b", BarCell(0.5), TimeOf(4.5e6),
                              CountOf(2), TableCell(), TableCell()},
                    .depth = 1},
                   {.cells = {"as a whole", BarCell(0), TimeOf(6e6),
                              BlankCell(), TableCell(), TableCell()},
                    .depth = 1,
                    .is_part = true},
                   {.cells = {"load", BarCell(0), TimeOf(10), CountOf(1),
                              ValueOf(3, "%"), TableCell()},
                    .tone = Tone::kWarn,
                    .below = {"was setup"}}},
          .hidden_columns = "show with --columns"};
}

inline Document SampleDocument() {
  Document document;
  document.AddHeading(1, "Report");
  document.AddList({.items = {{.text = "GPU idle 96 % of step: launch-bound",
                               .tone = Tone::kStrong,
                               .details = {"look at: a CUDA graph"}}}});
  document.Add(ShellCommand{{"./train", "--name=<x>"}});
  document.AddHeading(2, "Regions", "12 kernels, 9.00 ms GPU time");
  document.AddTable(SampleTable());
  document.AddParagraph(Text("2 more rows: ") + Code("regions.max_rows"),
                        Tone::kQuiet);
  document.Add(FoldStart{"All 3 regions"});
  document.AddParagraph("12 of 840 launches carry counters", Tone::kStrong);
  document.Add(FoldEnd{});
  document.AddHeading(2, "Notes");
  document.AddList({.items = {{.lead = "warning",
                               .text = "the file ends early\n  at *byte* 7",
                               .tone = Tone::kWarn},
                              {.text = "1. is not a number"}}});
  document.AddList(
      {.items = {{.text = "nothing was measured"}}, .numbered = true});
  return document;
}

}  // namespace rangefinder
