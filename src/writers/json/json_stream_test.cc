#include "writers/json/json_stream.h"

#include <functional>
#include <sstream>
#include <string>

#include <gtest/gtest.h>

namespace rangefinder {
namespace {

using Begin = std::function<void(JsonStream&)>;

void WriteMember(JsonStream& json, std::size_t i) {
  json.BeginObject();
  json.Field("i", i);
  json.BeginArray("list");
  json.Put("text");
  json.EndArray();
  json.EndObject();
}

// An object with two lists of `count` members, the second one behind a member.
std::string DocumentOf(std::size_t count, const Begin& begin, bool at_once) {
  std::ostringstream out;
  {
    JsonStream json(out);
    json.BeginObject();
    for (const bool behind : {false, true}) {
      json.Key(behind ? "behind" : "first");
      begin(json);
      if (behind) WriteMember(json, count);
      if (at_once) {
        json.Members(count,
                     [](JsonStream& part, std::size_t from, std::size_t to) {
                       for (std::size_t i = from; i < to; ++i)
                         WriteMember(part, i);
                     });
      } else {
        for (std::size_t i = 0; i < count; ++i) WriteMember(json, i);
      }
      json.EndArray();
    }
    json.EndObject();
  }
  return out.str();
}

TEST(JsonStream, MembersAreWrittenAsOneByOne) {
  for (const Begin& begin :
       {Begin([](JsonStream& json) { json.BeginArray(); }),
        Begin([](JsonStream& json) { json.BeginRows(); }),
        Begin([](JsonStream& json) { json.BeginLine('['); })}) {
    for (const std::size_t count : {0, 1, 1000, 1001, 1025, 70000})
      EXPECT_EQ(DocumentOf(count, begin, true), DocumentOf(count, begin, false))
          << count;
  }
}

}  // namespace
}  // namespace rangefinder
