// Our functions in place of NVTX's.

#pragma once

#include "inject/nvtx/nvtx_abi.h"

namespace rangefinder::inject {

// Puts them into the tables of one copy of NVTX. False: those tables are not
// what they should be, and nothing was changed.
bool ReplaceNvtxCalls(nvtx::GetExportTable get_export_table);

// The same of an extension: that of payloads, with which NCCL closes ranges.
// False: another one, of which nothing is recorded.
bool ReplaceExtensionCalls(const nvtx::ExtensionModule* module);

}  // namespace rangefinder::inject
