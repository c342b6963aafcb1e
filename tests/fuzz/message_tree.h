// A protobuf message as a tree. Any part can be changed while the lengths
// around it stay right. It knows no schema: bytes that parse as a message are
// one.

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
  std::uint64_t value = 0;  // fixed-size fields: the bits
  std::string bytes{};
  bool is_message = false;
  std::vector<MessageField> inner{};
};
using MessageTree = std::vector<MessageField>;

// Empty where the bytes are no message.
std::optional<MessageTree> ParseMessage(std::string_view bytes,
                                        int deepest = 12);
std::string WriteMessage(const MessageTree& message);

// Changes a part of the message at a random depth.
void ChangeMessage(MessageTree& message, Dice& dice);

}  // namespace rangefinder::testing
