// A protobuf message as a tree, of which any part can be changed while all
// lengths around it stay right. Knows no schema: what reads as a message is
// taken for one.

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <protozero/types.hpp>

#include "tests/fuzz/dice.h"

namespace rangefinder::testing {

struct MessageField {
  std::uint32_t number = 1;
  protozero::pbf_wire_type type = protozero::pbf_wire_type::varint;
  std::uint64_t value = 0;  // of fixed ones: the bits
  std::string bytes{};
  bool is_message = false;
  std::vector<MessageField> inner{};
};
using MessageTree = std::vector<MessageField>;

// Nothing where the bytes are no message.
std::optional<MessageTree> ParseMessage(std::string_view bytes,
                                        int deepest = 12);
std::string WriteMessage(const MessageTree& message);

// Changes something in it, at any depth.
void ChangeMessage(MessageTree& message, Dice& dice);

}  // namespace rangefinder::testing
