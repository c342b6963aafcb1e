// Checks before ncu runs whether the program launches the requested kernels:
// pipeline.ncu.ncu_cli.kernel_name and regions.kernels.include against the
// known launches.

#pragma once

#include <cstdint>

#include "base/notes.h"
#include "capture/options.h"
#include "profile/profile.h"
#include "region/selection.h"

namespace rangefinder {

// The kernels that ncu selects by name. A regular expression that RE2 cannot
// read (a look-ahead) selects all kernels here.
Selection KernelsByName(const NcuOptions& ncu);

enum class KernelMatch : std::uint8_t {
  kSome,     // the program launches such a kernel, or all are requested
  kNone,     // it launches none
  kUnknown,  // none in our spelling of signatures; ncu's spelling differs
};

// Each name or pattern without a known kernel gives a note
// ("kernel_matches_nothing") with the existing names.
KernelMatch CheckKernels(const NcuOptions& ncu,
                         const SelectionOptions& selection,
                         const Profile& known, Notes& notes);

// Notes why ncu is not started; every report shows this note as a section of
// its own. With kSome the kernels are launched, but not in the requested
// regions.
void NoteNoMatchingKernels(KernelMatch match, Notes& notes);

}  // namespace rangefinder
