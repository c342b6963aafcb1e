#!/bin/bash
# Ctrl-C while ncu prints its version: interrupted, and no failure of ncu's.
. "$(dirname "$0")/common.sh"

cat > asks <<'NCU'
#!/bin/bash
echo "$1" >> "$SEEN"
if [ "$(grep -cx -- "$SLOW" "$SEEN")" = "$NTH" ] && [ "$1" = "$SLOW" ]; then
  touch "$SEEN.slow"
  sleep 60
fi
exec "$FAKE" "$@"
NCU
chmod +x asks
rm bin/ncu
cp asks bin/ncu
export FAKE=$fake_ncu SEEN=$t/seen

interrupt() {
  rm -f seen seen.slow
  SLOW=$1 NTH=$2 python3 - "$rangefinder" "${@:3}" <<'PYTHON' > out 2> err
import os, signal, subprocess, sys, time
program = subprocess.Popen(sys.argv[1:])
while not os.path.exists("seen.slow"):
    time.sleep(0.05)
program.send_signal(signal.SIGINT)
sys.exit(program.wait(timeout=60))
PYTHON
}
profile="profile hydra.run.dir=$t/run pipeline.ncu.enable=true pipeline.trace.enable=false -- true"
for when in "--help 1" "--version 1" "--version 2"; do
  # shellcheck disable=SC2086
  status 130 interrupt $when $profile
  has err interrupted
  not grep -q 'does not say' err
done
status 130 interrupt --version 1 doctor
