// Reads the SQLite export of Nsight Systems (`nsys export --type sqlite`):
// kernels and CUDA graphs with their times, each in the NVTX ranges that were
// open at its launch. docs/nsys-export.md lists the tables and columns.
//
// Exports differ from version to version. Missing tables and columns are left
// out, with a note where the report depends on them. An export has times and no
// metrics; DurationNs() uses start_ns and end_ns.

#pragma once

#include <filesystem>

#include "base/error.h"
#include "base/notes.h"
#include "ingest/sqlite_file.h"
#include "profile/profile.h"

namespace rangefinder {

// kCorrupt for a damaged database, kUnsupported for a database that is no
// export of Nsight Systems. The file is opened read-only, and no file is
// written beside it.
Result<Profile> ReadNsys(const std::filesystem::path& path, Notes& notes);

}  // namespace rangefinder
