// What an export of Nsight Systems tells of the run around its kernels: copies,
// processes, devices, versions. Each of these reads what the file has of it.

#pragma once

#include <string>

#include "base/error.h"
#include "base/notes.h"
#include "ingest/sqlite_file.h"
#include "profile/profile.h"

namespace rangefinder {

// A note of the memory copies and fills, whose time is no kernel's.
Status CountCopies(SqliteFile& file, const std::string& where, Notes& notes);

// Names for the processes that the profile has.
Status NameProcesses(SqliteFile& file, Profile& profile);

// Names and chips for the devices that the profile has.
Status NameDevices(SqliteFile& file, Profile& profile);

// Versions, command line and date, into the profile's first artifact; the host,
// into its processes.
Status ReadProvenance(SqliteFile& file, Profile& profile);

}  // namespace rangefinder
