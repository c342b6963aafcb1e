// Our functions in place of NVTX's.

#pragma once

#include "inject/nvtx/nvtx_abi.h"

namespace rangefinder::inject {

// Puts our functions into the tables of one copy of NVTX. False: the tables
// have an unknown form, and nothing was changed.
bool ReplaceNvtxCalls(nvtx::GetExportTable get_export_table);

// The same for NVTX's extension of payloads, by which NCCL closes ranges.
// False: it is another extension; its calls are not recorded.
bool ReplaceExtensionCalls(const nvtx::ExtensionModule* module);

}  // namespace rangefinder::inject
