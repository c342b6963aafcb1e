#include "tests/fuzz/message_tree.h"

#include <bit>
#include <utility>

#include <protozero/pbf_reader.hpp>
#include <protozero/pbf_writer.hpp>

namespace rangefinder::testing {
namespace {

using protozero::pbf_wire_type;

bool ReadField(protozero::pbf_reader& in, int deepest, MessageField& field) {
  field.number = in.tag();
  field.type = in.wire_type();
  switch (field.type) {
    case pbf_wire_type::varint:
      field.value = in.get_uint64();
      return true;
    case pbf_wire_type::fixed64:
      field.value = in.get_fixed64();
      return true;
    case pbf_wire_type::fixed32:
      field.value = in.get_fixed32();
      return true;
    case pbf_wire_type::length_delimited: {
      const protozero::data_view view = in.get_view();
      field.bytes.assign(view.data(), view.size());
      if (view.size() == 0 || deepest == 0) return true;
      auto inner = ParseMessage(field.bytes, deepest - 1);
      field.is_message = inner.has_value();
      if (inner) field.inner = *std::move(inner);
      return true;
    }
    default:
      return false;
  }
}

// Collects all lists of fields inside `message`, its own first.
void Gather(MessageTree& message, std::vector<MessageTree*>& lists) {
  lists.push_back(&message);
  for (MessageField& field : message) {
    if (field.is_message) Gather(field.inner, lists);
  }
}

void ChangeField(MessageField& field, Dice& dice) {
  if (dice.OneIn(16)) {
    field.number = static_cast<std::uint32_t>(1 + dice.Roll(40));
  } else if (field.type == pbf_wire_type::length_delimited) {
    if (field.is_message && dice.OneIn(2)) {
      // Nests the message in itself to a random depth.
      for (std::size_t i = dice.Roll(64); i > 0; --i) {
        MessageField outer = field;
        outer.inner = {std::move(field)};
        field = std::move(outer);
      }
      return;
    }
    field.is_message = false;
    field.bytes = dice.Name(field.bytes);
  } else if (field.type == pbf_wire_type::fixed64) {
    field.value = std::bit_cast<std::uint64_t>(
        dice.Real(std::bit_cast<double>(field.value)));
  } else {
    field.value = dice.Number(field.value);
  }
}

}  // namespace

std::optional<MessageTree> ParseMessage(std::string_view bytes, int deepest) {
  MessageTree message;
  try {
    protozero::pbf_reader in(bytes.data(), bytes.size());
    while (in.next()) {
      if (!ReadField(in, deepest, message.emplace_back())) return std::nullopt;
    }
  } catch (const protozero::exception&) {
    return std::nullopt;
  }
  return message;
}

std::string WriteMessage(const MessageTree& message) {
  std::string bytes;
  protozero::pbf_writer out(bytes);
  for (const MessageField& field : message) {
    switch (field.type) {
      case pbf_wire_type::varint:
        out.add_uint64(field.number, field.value);
        break;
      case pbf_wire_type::fixed64:
        out.add_fixed64(field.number, field.value);
        break;
      case pbf_wire_type::fixed32:
        out.add_fixed32(field.number, static_cast<std::uint32_t>(field.value));
        break;
      default:
        out.add_string(field.number, field.is_message
                                         ? WriteMessage(field.inner)
                                         : field.bytes);
    }
  }
  return bytes;
}

void ChangeMessage(MessageTree& message, Dice& dice) {
  std::vector<MessageTree*> lists;
  Gather(message, lists);
  MessageTree& list = *dice.Pick(lists);
  if (list.empty()) return;
  switch (dice.Roll(3)) {
    case 0:
      ChangeList(list, dice);
      return;
    case 1: {
      const MessageTree from = *dice.Pick(lists);
      if (!from.empty()) dice.Pick(list) = dice.Pick(from);
      return;
    }
    default:
      ChangeField(dice.Pick(list), dice);
  }
}

}  // namespace rangefinder::testing
