// The framing of a `.ncu-rep` file: a magic number, a file header, then blocks.
// A block is a header message and a payload of length-prefixed messages
// (docs/ncu-report-format.md). Other files decode the messages.

#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"

namespace rangefinder {

// A block, with undecoded messages: views of the file.
struct NcuBlock {
  std::size_t number = 0;  // from 0
  std::size_t offset = 0;  // of the header's length word, in the file
  std::uint32_t sources = 0;
  std::uint32_t kernels = 0;
  std::uint32_t ranges = 0;
  std::uint32_t command_lists = 0;
  std::uint32_t graphs = 0;
  std::string_view session{};
  std::string_view strings{};
  std::string_view process{};
  std::string_view payload{};
};

class NcuContainer {
 public:
  // kCorrupt: the file does not begin as a report does.
  static Result<NcuContainer> Open(std::string_view bytes);

  std::uint32_t version() const { return version_; }

  // The next block. Nothing at the end of the file, or if the rest is damaged
  // (see damage()).
  std::optional<NcuBlock> Next();
  const std::string& damage() const { return damage_; }

 private:
  explicit NcuContainer(std::string_view bytes)
      : rest_(bytes), file_bytes_(bytes.size()) {}

  std::string_view rest_;
  std::size_t file_bytes_;
  std::size_t next_number_ = 0;
  std::uint32_t version_ = 0;
  std::string damage_;
};

// Takes the next length-prefixed message (u32 n; n bytes) off `bytes`; nothing
// if it is cut.
std::optional<std::string_view> NextMessage(std::string_view& bytes);

}  // namespace rangefinder
