// The profile of a trace that is drawn as text (trace_builder.h), for tests of
// modules below the readers.

#pragma once

#include <string>
#include <string_view>
#include <utility>

#include <gtest/gtest.h>

#include "ingest/trace/trace_reader.h"
#include "tests/support/trace_builder.h"

namespace rangefinder::testing {

inline Profile ReadTraceText(std::string_view text) {
  const std::string bytes = BuildTrace(text);
  Notes notes;
  auto profile =
      ReadRangefinderTrace({.path = "t.rftrace", .bytes = bytes}, notes);
  EXPECT_TRUE(profile.ok());
  return profile.ok() ? std::move(profile.value()) : Profile{};
}

}  // namespace rangefinder::testing
