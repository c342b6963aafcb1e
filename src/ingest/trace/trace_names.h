// The records of a trace's names.

#pragma once

#include <string_view>

#include "base/notes.h"
#include "ingest/trace/trace_blocks.h"

namespace rangefinder {

// Adds what the words of one block say. Ids that do not follow each other are
// the sign of a lost block: what lies between stays unknown. No id is above
// `most`: a damaged one must not cost memory.
void ReadNames(const TraceWords& words, std::size_t most, TraceNames& names,
               Notes& notes, std::string_view where);

}  // namespace rangefinder
