// What hardware counters count, in plain words.

#pragma once

#include <string>
#include <string_view>

namespace rangefinder {

// Of the counters that presets sample: a sentence without its full stop, of
// `metric` with its suffix ("dram__bytes_read.sum"). Empty for any other.
std::string CounterDoc(std::string_view metric);

}  // namespace rangefinder
