// An armed process listens: a client opens a window in it, and closes it.
//
// One socket for each process, PID.sock in a folder of the user's own: that of
// RANGEFINDER_SOCKET_DIR, else `rangefinder` in XDG_RUNTIME_DIR, else
// /tmp/rangefinder-UID. A client sends a command, NAME=value lines (settings.h)
// and an empty line, and gets an answer of one line:
//
//   open    RANGEFINDER_INJECT_DIR, _MODE, _METRICS, ...: the trace's folder
//   and
//           what it records; _AFTER=REGION:N: first waits for so many
//           instances, _UNTIL=REGION:N: ends by itself after so many "opened",
//           then "over" where it ended by itself; or "failed REASON"
//   close   "closed"; the end of the connection closes the window too
//
// The process's own user alone, and root, are answered.

#pragma once

namespace rangefinder::inject {

// Listens from here on, in a thread of the library. Further calls do nothing.
void StartControl();

// The program initialises CUDA: windows trace the GPU from here on, and the
// nodes of graphs are seen if it is armed for them.
void TellOfCuda();

}  // namespace rangefinder::inject
