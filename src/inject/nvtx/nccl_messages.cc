#include "inject/nvtx/nccl_messages.h"

#include <atomic>
#include <cstddef>
#include <cstring>
#include <string_view>

namespace rangefinder::inject {
namespace {

// Each copy of NCCL has a layout for each of its functions.
constexpr std::uint32_t kMostLayouts = 64;
constexpr std::size_t kMostEntries = 64;
constexpr std::int32_t kMostPayloads = 4;  // of a range

struct Layout {
  std::uint64_t schema = 0;
  std::uint32_t domain = 0;
  std::size_t communicator = 0, bytes = 0;  // offsets
};

// Only the entries below `layout_count` are read; they do not change.
Layout layouts[kMostLayouts];
std::atomic<std::uint32_t> layout_count{0};
std::uint64_t next_schema = nvtx::kFirstDynamicSchema;

// The offset of the entry of this name, of 8 bytes; false: there is none.
bool Find(const nvtx::SchemaAttributes& schema, std::string_view name,
          std::size_t& offset) {
  for (std::size_t i = 0; i < schema.entry_count && i < kMostEntries; ++i) {
    const nvtx::SchemaEntry& entry = schema.entries[i];
    if (entry.name == nullptr || name != entry.name) continue;
    offset = entry.offset;
    // 0 is also the offset if none is given.
    return i == 0 || offset != 0;
  }
  return false;
}

}  // namespace

std::uint64_t LearnPayloadSchema(std::uint32_t domain,
                                 const nvtx::SchemaAttributes* schema) {
  if (schema == nullptr) return 0;
  const std::uint64_t number =
      (schema->fields & nvtx::kHasSchema) != 0 ? schema->schema : next_schema++;
  const std::uint32_t count = layout_count.load(std::memory_order_relaxed);
  Layout layout{.schema = number, .domain = domain};
  if ((schema->fields & nvtx::kHasEntries) == nvtx::kHasEntries &&
      schema->entries != nullptr && count < kMostLayouts &&
      Find(*schema, "NCCL communicator ID", layout.communicator) &&
      Find(*schema, "Message size [bytes]", layout.bytes)) {
    layouts[count] = layout;
    layout_count.store(count + 1, std::memory_order_release);
  }
  return number;
}

bool ReadNcclMessage(std::uint32_t domain,
                     const nvtx::EventAttributes& attributes,
                     NcclMessage& message) {
  const auto* payloads =
      reinterpret_cast<const nvtx::PayloadData*>(attributes.payload);
  if (payloads == nullptr) return false;
  const std::uint32_t count = layout_count.load(std::memory_order_acquire);
  for (std::int32_t i = 0; i < attributes.reserved && i < kMostPayloads; ++i) {
    const nvtx::PayloadData& payload = payloads[i];
    for (std::uint32_t k = 0; k < count; ++k) {
      const Layout& layout = layouts[k];
      const auto read = [&](std::size_t offset, std::uint64_t& value) {
        if (payload.size < sizeof value || offset > payload.size - sizeof value)
          return false;
        std::memcpy(&value, static_cast<const char*>(payload.data) + offset,
                    sizeof value);
        return true;
      };
      if (layout.schema == payload.schema && layout.domain == domain &&
          payload.data != nullptr)
        return read(layout.communicator, message.communicator) &&
               read(layout.bytes, message.bytes);
    }
  }
  return false;
}

}  // namespace rangefinder::inject
