// The SQLite export of Nsight Systems (`nsys export --type sqlite`): kernels
// and CUDA graphs with their times, each in the NVTX ranges that were open at
// its launch. docs/nsys-export.md says which tables and columns are read.
//
// Exports differ from version to version; what a file does not have is left
// out, with a note where it matters. Nothing is measured but time, so there are
// no metrics: start_ns and end_ns are what DurationNs() answers from.

#pragma once

#include <filesystem>

#include "base/error.h"
#include "base/notes.h"
#include "ingest/sqlite_file.h"
#include "profile/profile.h"

namespace rangefinder {

// kCorrupt for what is no intact database, kUnsupported for a database that is
// no export of Nsight Systems. The file is opened read-only, and nothing is
// written beside it.
Result<Profile> ReadNsys(const std::filesystem::path& path, Notes& notes);

}  // namespace rangefinder
