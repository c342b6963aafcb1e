#include "tests/fuzz/json_mutator.h"

#include <array>
#include <iterator>
#include <vector>

#include <nlohmann/json.hpp>

#include "tests/fuzz/dice.h"

namespace rangefinder::testing {
namespace {

using Json = nlohmann::ordered_json;

// Collects all values inside `value`, itself first.
void Gather(Json& value, std::vector<Json*>& all) {
  all.push_back(&value);
  if (!value.is_structured()) return;
  for (Json& inner : value) Gather(inner, all);
}

// Paths to which no document may lead.
Json Path(Dice& dice) {
  constexpr std::array<const char*, 8> kPaths = {"../outside.ncu-rep",
                                                 "/etc/passwd",
                                                 "ncu/../../outside.ncu-rep",
                                                 "ncu/./a.ncu-rep",
                                                 "ncu",
                                                 "ncu/a.ncu-rep/",
                                                 "trace/a.rftrace",
                                                 "."};
  return dice.Pick(kPaths);
}

Json Any(const Json& old, Dice& dice) {
  switch (dice.Roll(9)) {
    case 0:
      return nullptr;
    case 1:
      return dice.OneIn(2);
    case 2:
      return static_cast<std::int64_t>(dice.Number(0));
    case 3:
      return dice.Number(7);
    case 4:
      return dice.Real(1);
    case 5:
      return Json::array({old});
    case 6:
      return {{"name", old}};
    case 7:
      return Path(dice);
    default:
      return dice.Name(old.is_string() ? old.get<std::string>() : "");
  }
}

void ChangeInside(Json& value, const Json& other, Dice& dice) {
  const auto at = std::next(
      value.begin(), static_cast<std::ptrdiff_t>(dice.Roll(value.size())));
  if (dice.OneIn(2)) {
    value.erase(at);
  } else if (value.is_array()) {
    const Json again = *at;
    const std::size_t times = std::size_t{1} << dice.Roll(8);
    for (std::size_t i = 0; i < times; ++i) value.push_back(again);
  } else {
    value[dice.OneIn(2) ? at.key() : dice.Name(at.key())] = other;
  }
}

}  // namespace

std::string ChangedJson(std::string_view text, std::uint32_t seed) {
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return std::string(text);
  Dice dice(seed);
  for (std::size_t i = dice.Roll(4) + 1; i > 0; --i) {
    std::vector<Json*> all;
    Gather(json, all);
    Json& value = *dice.Pick(all);
    const Json other = *dice.Pick(all);
    if (value.is_structured() && !value.empty() && !dice.OneIn(3))
      ChangeInside(value, other, dice);
    else
      value = dice.OneIn(4) ? other : Any(value, dice);
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace rangefinder::testing
