#include "tests/support/unpack.h"

#include <map>
#include <string>

#include <gtest/gtest.h>
#include <zlib.h>

namespace rangefinder::testing {
namespace {

using nlohmann::json;

std::string FromBase64(const std::string& text) {
  constexpr std::string_view kDigits =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string bytes;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    const std::size_t digit = kDigits.find(c);
    if (digit == kDigits.npos) break;
    bits = bits << 6 | static_cast<unsigned>(digit);
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xff);
  }
  return bytes;
}

const json& At(const json& values, std::size_t list) {
  return values.is_array() ? values.at(list) : values;
}

class Block {
 public:
  explicit Block(const json& document)
      : document_(document), block_(UnpackColumns(document)) {}

  const json& lists(std::size_t scope) const {
    const json& own = block_["scopes"][scope];
    if (!own.contains("same_as")) return own;
    return block_["scopes"][own["same_as"].get<std::size_t>()];
  }

  // Device attributes stand only in the totals.
  void AddTo(json& metrics, const json& list, bool device) const {
    if (list.is_null()) return;
    for (const auto& [name, column] : block_["metrics"].items()) {
      if (!device && name.starts_with("device__attribute_")) continue;
      EXPECT_FALSE(metrics.contains(name)) << name << " stands twice";
      metrics[name] = Cell(name, list);
    }
  }

 private:
  json Cell(const std::string& name, std::size_t list) const {
    const json* form = &block_["metrics"][name]["form"];
    if (form->is_string())
      form = &block_["metrics"][form->get<std::string>()]["form"];
    json cell = block_["forms"].at(At(*form, list).get<std::size_t>());
    cell["unit"] = document_["metrics"][name]["unit"];
    cell["value"] = At(block_["metrics"][name]["value"], list);
    const json spread = block_["metrics"][name].value("spread", json::object());
    const auto own = spread.find(std::to_string(list));
    if (own != spread.end()) {
      cell["min"] = own->at(0);
      cell["max"] = own->at(1);
    }
    const json intervals =
        block_["metrics"][name].value("interval", json::object());
    const auto interval = intervals.find(std::to_string(list));
    if (interval != intervals.end()) {
      cell["standard_error"] = interval->at(0);
      cell["low"] = interval->at(1);
      cell["high"] = interval->at(2);
    }
    return cell;
  }

  const json& document_;
  const json block_;
};

// Adds the values: inclusive, or those of the range that was measured as a
// whole.
void AddValues(json& region) {
  const bool whole =
      region["inclusive"]["kernel_count"] == 0 && !region["measured"].empty();
  const json& cells =
      whole ? region["measured"][0]["metrics"] : region["inclusive"]["metrics"];
  for (const auto& [name, cell] : cells.items()) {
    if (cell["how"] != "absent") region["metrics"][name] = cell["value"];
  }
}

void FillInScope(json& scope, const Block& block, const json& lists) {
  block.AddTo(scope["totals"]["metrics"], lists["totals"], true);
  std::map<int, std::size_t> places;
  for (const json& id : lists["regions"]) places.emplace(id, places.size());
  for (json& region : scope["regions"]) {
    const std::size_t at = places.at(region["id"]);
    const auto rows = [&](const char* key) {
      ASSERT_EQ(lists[key][at].size(), region[key].size());
      for (std::size_t i = 0; i < region[key].size(); ++i)
        block.AddTo(region[key][i]["metrics"], lists[key][at][i], false);
    };
    block.AddTo(region["inclusive"]["metrics"], lists["inclusive"][at], false);
    block.AddTo(region["exclusive"]["metrics"], lists["exclusive"][at], false);
    rows("kernels");
    rows("measured");
    AddValues(region);
  }
  if (!scope.contains("by_name")) return;
  for (std::size_t i = 0; i < scope["by_name"].size(); ++i) {
    block.AddTo(scope["by_name"][i]["inclusive"]["metrics"],
                lists["by_name"][i], false);
  }
}

}  // namespace

json UnpackColumns(const json& document) {
  return Unpack(document["columns"]);
}

std::string UnpackText(const json& packed) {
  const json& content = packed["content"];
  std::string text(packed["bytes"].get<std::size_t>() + 1, '\0');
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, MAX_WBITS + 16), Z_OK);
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  for (const json& part : content.is_array() ? content : json{content}) {
    std::string bytes = FromBase64(part.get<std::string>());
    stream.next_in = reinterpret_cast<Bytef*>(bytes.data());
    stream.avail_in = static_cast<uInt>(bytes.size());
    EXPECT_EQ(inflateReset(&stream), Z_OK);
    EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
    EXPECT_EQ(stream.avail_in, 0U) << "one gzip member and nothing after it";
  }
  EXPECT_EQ(stream.avail_out, 1U) << "as many bytes as the document says";
  inflateEnd(&stream);
  text.pop_back();
  return text;
}

json Unpack(const json& packed) {
  return json::parse(UnpackText(packed));
}

void FillIn(json& document) {
  if (!document.contains("columns")) return;
  const Block block(document);
  for (std::size_t i = 0; i < document["scopes"].size(); ++i)
    FillInScope(document["scopes"][i], block, block.lists(i));
}

}  // namespace rangefinder::testing
