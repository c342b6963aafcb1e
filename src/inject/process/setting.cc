#include "inject/process/setting.h"

#include <stdlib.h>
#include <string.h>

namespace rangefinder::inject {
namespace {

__attribute__((tls_model("initial-exec"))) thread_local const char* settings =
    nullptr;
__attribute__((
    tls_model("initial-exec"))) thread_local std::size_t settings_size = 0;

}  // namespace

const char* Setting(const char* name) {
  const std::size_t length = strlen(name);
  for (std::size_t at = 0; at < settings_size;
       at += strlen(settings + at) + 1) {
    const char* const one = settings + at;
    if (strncmp(one, name, length) == 0 && one[length] == '=')
      return one + length + 1;
  }
  return getenv(name);
}

void UseSettings(const char* text, std::size_t size) {
  settings = text;
  settings_size = size;
}

}  // namespace rangefinder::inject
