// The lines of the model that kernels of torch.compile come from, beside the
// traces of the run (pipeline.trace.source).

#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/notes.h"
#include "profile/profile.h"

namespace rangefinder {

// Replaces PyTorch's logs of this process's run, which may be hundreds of
// megabytes, by what they say of kernels. Logs that cannot be read stay, and
// all logs do where an error is returned.
Status KeepKernelSources(const std::filesystem::path& trace_dir);

// Adds what was kept beside the traces among `files`.
void ReadKernelSources(const std::vector<std::filesystem::path>& files,
                       KernelSources& sources, Notes& notes);

// Says of how many kernels, and of how much of their time, the lines are known.
// Does nothing where the run did not record them.
void NoteKernelSources(const Profile& profile, Notes& notes);

}  // namespace rangefinder
