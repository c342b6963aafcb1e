// What Debian 12's libstdc++.a asks of newer glibcs than the oldest that the
// portable build runs with, 2.31.

#include <stdint.h>
#include <stdlib.h>
#include <sys/random.h>

#pragma GCC visibility push(hidden)
extern "C" {

// Of glibc 2.32. False: shared counts are always changed atomically.
char __libc_single_threaded = 0;

// Of glibc 2.36, for std::random_device.
uint32_t arc4random(void) {
  uint32_t value = 0;
  if (getrandom(&value, sizeof value, 0) != sizeof value) abort();
  return value;
}

}  // extern "C"
#pragma GCC visibility pop
