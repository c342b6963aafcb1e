#include "capture/standard_input.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace rangefinder {

StandardInput::StandardInput() {
  struct stat about {};
  if (::fstat(STDIN_FILENO, &about) != 0) return;
  if (S_ISREG(about.st_mode)) {
    const off_t at = ::lseek(STDIN_FILENO, 0, SEEK_CUR);
    if (at >= 0) offset_ = at;
  }
  if (!S_ISFIFO(about.st_mode) && !S_ISSOCK(about.st_mode)) return;
  // A pipe that nobody writes to, as many a launcher leaves it, is no input.
  struct pollfd input {
    STDIN_FILENO, POLLIN, 0
  };
  int bytes = 0;
  once_ = ::poll(&input, 1, 0) > 0 && (input.revents & POLLIN) != 0 &&
          ::ioctl(STDIN_FILENO, FIONREAD, &bytes) == 0 && bytes > 0;
}

void StandardInput::ReadAgain() const {
  if (offset_) ::lseek(STDIN_FILENO, *offset_, SEEK_SET);
}

}  // namespace rangefinder
