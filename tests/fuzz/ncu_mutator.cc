#include "tests/fuzz/ncu_mutator.h"

#include <cstring>
#include <optional>
#include <vector>

#include "ingest/ncu/ncu_container.h"
#include "ingest/ncu/ncu_layout.h"
#include "tests/fuzz/message_tree.h"

namespace rangefinder::testing {
namespace {

constexpr std::size_t kMagic = 4;

struct NcuBlock {
  MessageTree header{};
  std::vector<std::string> messages{};  // sources, then results
};

struct NcuFile {
  std::string header{};  // including the magic
  std::vector<NcuBlock> blocks{};
};

std::string Prefixed(std::string_view message) {
  const auto length = static_cast<std::uint32_t>(message.size());
  std::string bytes(sizeof length, '\0');
  std::memcpy(bytes.data(), &length, sizeof length);
  return bytes.append(message);
}

MessageField* Find(MessageTree& message, ncu::BlockHeader number) {
  for (MessageField& field : message) {
    if (field.number == static_cast<std::uint32_t>(number)) return &field;
  }
  return nullptr;
}

std::optional<NcuFile> ParseNcu(std::string_view bytes) {
  auto container = NcuContainer::Open(bytes);
  if (!container.ok()) return std::nullopt;
  NcuFile file;
  std::string_view rest = bytes.substr(kMagic);
  (void)NextMessage(rest);
  file.header = bytes.substr(0, bytes.size() - rest.size());
  while (const auto header = NextMessage(rest)) {
    auto message = ParseMessage(*header);
    if (!message) break;
    NcuBlock& block = file.blocks.emplace_back();
    block.header = *std::move(message);
    const MessageField* size =
        Find(block.header, ncu::BlockHeader::kPayloadSize);
    std::string_view payload =
        rest.substr(0, size == nullptr ? 0 : size->value);
    rest.remove_prefix(payload.size());
    while (const auto one = NextMessage(payload))
      block.messages.emplace_back(*one);
  }
  if (file.blocks.empty()) return std::nullopt;
  return file;
}

std::string WriteNcu(NcuFile& file) {
  std::string bytes = file.header;
  for (NcuBlock& block : file.blocks) {
    std::string payload;
    for (const std::string& message : block.messages)
      payload += Prefixed(message);
    if (MessageField* size = Find(block.header, ncu::BlockHeader::kPayloadSize))
      size->value = payload.size();
    bytes += Prefixed(WriteMessage(block.header)) + payload;
  }
  return bytes;
}

void ChangeMessageOf(NcuBlock& block, Dice& dice) {
  std::string& bytes = dice.Pick(block.messages);
  auto message = ParseMessage(bytes);
  if (!message) return;
  for (std::size_t i = dice.Roll(4) + 1; i > 0; --i)
    ChangeMessage(*message, dice);
  bytes = WriteMessage(*message);
}

// The number of results matches the header, or does not.
void ChangeMessagesOf(NcuBlock& block, Dice& dice) {
  const std::size_t before = block.messages.size();
  ChangeList(block.messages, dice);
  MessageField* results = Find(block.header, ncu::BlockHeader::kNumResults);
  if (results != nullptr && !dice.OneIn(4))
    results->value += block.messages.size() - before;
}

}  // namespace

std::string ChangedNcuReport(std::string_view report, std::uint32_t seed) {
  auto file = ParseNcu(report);
  if (!file) return std::string(report);
  Dice dice(seed);
  for (std::size_t i = dice.Roll(4) + 1; i > 0; --i) {
    NcuBlock& block = dice.Pick(file->blocks);
    switch (dice.Roll(8)) {
      case 0:
        ChangeList(file->blocks, dice, 64);
        if (file->blocks.empty()) return std::string(report);
        break;
      case 1:
        ChangeMessage(block.header, dice);
        break;
      case 2:
        ChangeMessagesOf(block, dice);
        break;
      default:
        if (!block.messages.empty()) ChangeMessageOf(block, dice);
    }
  }
  std::string bytes = WriteNcu(*file);
  if (dice.OneIn(16)) bytes.resize(dice.Roll(bytes.size() + 1));
  return bytes;
}

}  // namespace rangefinder::testing
