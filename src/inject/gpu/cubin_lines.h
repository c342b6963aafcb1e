// Finds where the kernels of a cubin begin in their source, by its line table.
//
// A cubin is an ELF file; .debug_line is a line table of DWARF 2 to 4 (nvcc
// -lineinfo, Triton), whose relocations name the kernels. Sources: the ELF-64
// object file format, version 1.5; DWARF 4, section 6.2.
//
// Allocates nothing, and reads no byte outside the cubin, whatever its content.

#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rangefinder::inject {

// The place of a kernel's first instruction.
struct KernelLine {
  std::string_view kernel{};     // mangled
  std::string_view directory{};  // may be empty
  std::string_view file{};
  std::uint64_t line = 0;
};

// Calls `take(context, place)` for every kernel that the line table knows, in
// the order of the table. A damaged cubin gives fewer.
void ForEachKernelLine(std::string_view cubin,
                       void (*take)(void* context, const KernelLine& place),
                       void* context);

}  // namespace rangefinder::inject
