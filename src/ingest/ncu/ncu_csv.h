// Reads raw.csv, ours and that of `ncu --import --page raw --csv`, where the
// report of ncu is gone: the values of all metrics by launch, without sections,
// rules and instances.

#pragma once

#include <string_view>

#include "base/error.h"
#include "base/notes.h"
#include "ingest/reader_input.h"
#include "profile/profile.h"

namespace rangefinder {

bool IsRawCsv(std::string_view bytes);
Result<Profile> ReadRawCsv(const ReaderInput& input, Notes& notes);

}  // namespace rangefinder
