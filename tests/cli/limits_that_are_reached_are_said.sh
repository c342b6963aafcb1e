#!/bin/bash
# Memory and threads that give out: a result, or status 7 and a sentence; never
# a signal, never half a result with status 0.
. "$(dirname "$0")/common.sh"
(ulimit -v 4000000 && "$rangefinder" --version) > /dev/null 2>&1 ||
  skip "a sanitizer's build takes more memory than any limit"

capture=$fixtures/nested_basic.ncu-rep
"$rangefinder" show --format json "$capture" > whole.json
for kib in 20000 30000 45000 60000 80000 120000 160000 240000; do
  for format in json html table; do
    got=0
    (ulimit -v $kib && exec "$rangefinder" show --format $format "$capture") \
      > out 2> err || got=$?
    case $got in
      0) [ $format != json ] || cmp <(grep -v generated_at out) <(grep -v generated_at whole.json) ;;
      7) grep -qiE 'memory|resource' err ;;
      127) grep -q 'shared' err ;;  # the loader had none
      *) echo "status $got with $kib KiB, $format"; exit 1 ;;
    esac
  done
done
[ -s out ]  # the last one had enough

# Only the first thread can be had: as another user, since root has no limit.
chmod 711 "$t"
mkdir -m 777 run
limited=(prlimit --nproc=1)
[ "$(id -u)" != 0 ] || limited+=(setpriv --reuid 64999 --clear-groups)
"${limited[@]}" "$rangefinder" --version > out 2>&1 ||
  skip "no other user may run this here"
"${limited[@]}" "$rangefinder" report "$capture" hydra.run.dir="$t/run/one" > out
"$rangefinder" report "$capture" hydra.run.dir="$t/two" > out
diff <(cd run/one && find . | sort) <(cd two && find . | sort)
