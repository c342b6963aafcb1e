#include "inject/process/setting.h"

#include <atomic>

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "inject/process/own_memory.h"

namespace rangefinder::inject {
namespace {

__attribute__((tls_model("initial-exec"))) thread_local const char* settings =
    nullptr;
__attribute__((
    tls_model("initial-exec"))) thread_local std::size_t settings_size = 0;

struct Environment {
  std::size_t size;
  // The settings behind this object, in the form of Find().
  const char* text() const { return reinterpret_cast<const char*>(this + 1); }
};
std::atomic<const Environment*> environment{nullptr};

// `text`: `size` bytes of "NAME=value", each with a zero at its end.
const char* Find(const char* text, std::size_t size, const char* name) {
  const std::size_t length = strlen(name);
  for (std::size_t at = 0; at < size; at += strlen(text + at) + 1) {
    const char* const one = text + at;
    if (strncmp(one, name, length) == 0 && one[length] == '=')
      return one + length + 1;
  }
  return nullptr;
}

}  // namespace

const char* Setting(const char* name) {
  const char* const found = Find(settings, settings_size, name);
  if (found != nullptr) return found;
  const Environment* const kept = environment.load();
  return kept != nullptr ? Find(kept->text(), kept->size, name) : getenv(name);
}

void KeepEnvironment() {
  std::size_t size = 0;
  for (char** one = environ; one != nullptr && *one != nullptr; ++one)
    size += strlen(*one) + 1;
  auto* const kept =
      static_cast<Environment*>(MapMemory(sizeof(Environment) + size));
  if (kept == nullptr) return;
  auto* const text = reinterpret_cast<char*>(kept + 1);
  for (char** one = environ; one != nullptr && *one != nullptr; ++one) {
    const std::size_t length = strlen(*one) + 1;
    if (length > size - kept->size) break;
    memcpy(text + kept->size, *one, length);
    kept->size += length;
  }
  environment.store(kept);
}

void UseSettings(const char* text, std::size_t size) {
  settings = text;
  settings_size = size;
}

}  // namespace rangefinder::inject
