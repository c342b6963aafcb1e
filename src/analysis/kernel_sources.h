// The lines of the model from which kernels of torch.compile come, in files
// next to the traces of the run (pipeline.trace.source).

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/notes.h"
#include "profile/profile.h"

namespace rangefinder {

// Replaces PyTorch's logs of this process's run, which may have hundreds of
// megabytes, by their facts about kernels. Logs that cannot be read stay, and
// after an error all logs stay.
Status KeepKernelSources(const std::filesystem::path& trace_dir);

// Adds the facts that were kept next to the traces among `files`.
void ReadKernelSources(const std::vector<std::filesystem::path>& files,
                       KernelSources& sources, Notes& notes);

// Notes for how many kernels, and for how much of their time, the lines are
// known. Does nothing if the run did not record them.
void NoteKernelSources(const Profile& profile, Notes& notes);

}  // namespace rangefinder
