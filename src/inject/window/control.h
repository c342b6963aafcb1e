// An armed process listens: a client opens a window in it, and closes it.
//
// One socket for each process, PID.sock in a folder of the user's own: that of
// RANGEFINDER_SOCKET_DIR, else `rangefinder` in XDG_RUNTIME_DIR, else
// /tmp/rangefinder-UID. A client sends a command, NAME=value lines (settings.h)
// and an empty line, and gets an answer of one line:
//
//   open    opens a window, with these settings:
//           RANGEFINDER_INJECT_DIR, _MODE, _METRICS, ...: folder and content
//           _AFTER=REGION:N: waits for N instances before it opens
//           _UNTIL=REGION:N: ends by itself after N instances
//           Answers: "opened", then "over" if it ended by itself; or
//           "failed REASON"
//   close   "closed"; the end of the connection closes the window too
//
// REGION may be cudaProfilerStart or cudaProfilerStop, whose calls count as
// instances.
//
// Only the user of the process and root get answers.

#pragma once

namespace rangefinder::inject {

// Listens from here on, in a thread of the library. Further calls do nothing.
void StartControl();

// The program initialises CUDA: windows trace the GPU from here on, and the
// nodes of graphs are seen if it is armed for them.
void TellOfCuda();

}  // namespace rangefinder::inject
