// Reads the SQLite export of Nsight Systems (`nsys export --type sqlite`): the
// same data as in traces of the injection library, from the tables and columns
// of docs/nsys-export.md.
//
// Exports differ from version to version. Missing tables and columns are left
// out, with a note where the report depends on them.

#pragma once

#include <filesystem>

#include "base/error.h"
#include "base/notes.h"
#include "ingest/reader_input.h"
#include "profile/profile.h"

namespace rangefinder {

// kCorrupt for a damaged database, kUnsupported for a database that is no
// export of Nsight Systems. The file is opened read-only, and no file is
// written beside it.
Result<Profile> ReadNsys(const std::filesystem::path& path, Notes& notes,
                         const ReadSelection* selection = &kReadAll);

}  // namespace rangefinder
