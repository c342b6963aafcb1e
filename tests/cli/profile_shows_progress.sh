#!/bin/bash
# On a terminal one line is rewritten, with the time left by the plan's forecast;
# elsewhere no line is rewritten, and short work prints none.
. "$(dirname "$0")/common.sh"
needs_tracer
needs_terminal
cat > terminal.py <<'PYTHON'
"""Runs a command on a terminal of 70 cells; its output, as it came."""
import fcntl, os, pty, struct, sys, termios
pid, master = pty.fork()
if pid == 0:
    fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 70, 0, 0))
    os.execvp(sys.argv[1], sys.argv[1:])
while True:
    try:
        data = os.read(master, 65536)
    except OSError:
        break
    if not data:
        break
    sys.stdout.buffer.write(data)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
PYTHON

export FAKE_NCU_DELAY=0.02 TERM=xterm
unset COLUMNS
python3 terminal.py "$rangefinder" profile hydra.run.dir="$t/run" pipeline.ncu.enable=true -- "$ranges" nested 10 > out
python3 - out <<'PYTHON'
import re, sys
text = open(sys.argv[1], newline="", encoding="utf-8").read()
lines = re.findall(r"\r\x1b\[K([^\r\n]*)", text)
running = [line for line in lines if re.search(" left  | so far  ", line)]
assert len(running) > 3, lines
assert all(len(line) < 70 for line in running), max(running, key=len)
assert any(re.search(r"about \d+ (s|min) left", line) for line in running), running
assert any(re.match(r"█*░+ +\d+ %", line) for line in running), running
# It goes before the report comes.
assert "\r\x1b[K" in text[text.rindex(running[-1]) + len(running[-1]):]
PYTHON

"$rangefinder" profile hydra.run.dir="$t/run2" -- "$ranges" nested 10 > out 2> err
not grep -q $'\r\|\x1b' out err
