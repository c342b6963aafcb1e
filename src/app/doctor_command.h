// `doctor`: what is installed, what is permitted, what to do about it.

#pragma once

#include <span>
#include <string>
#include <string_view>

#include "app/console.h"
#include "app/settings.h"
#include "base/error.h"
#include "base/process.h"
#include "capture/doctor.h"
#include "document/document.h"

namespace rangefinder {

// Prints the checks as a table, or with `format` json as a list of {check, ok,
// found, fix}. kProfiler where profiling cannot work.
Status RunDoctor(std::string_view format, const Settings& settings,
                 ProcessRunner& runner, const Console& console);

Document DoctorDocument(std::span<const Check> checks);

std::string DoctorJson(std::span<const Check> checks);

}  // namespace rangefinder
