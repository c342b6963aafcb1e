#!/bin/bash
# A hole of a file on a full tmpfs cannot be mapped: reading it there is SIGBUS.
# It is read like the same file elsewhere. So is a report that somebody cuts
# while it is read: there is an answer or an error.
. "$(dirname "$0")/common.sh"

zstd -qdc "$fixtures/llm_sampled.rftrace.zst" > whole.rftrace
head -c 1000000 whole.rftrace > holes.rftrace
truncate -s 2M holes.rftrace

cat > inside.sh << 'INSIDE'
mount -t tmpfs -o size=3m none mnt || exit 77
cp --sparse=always holes.rftrace mnt/ && cd mnt
dd if=/dev/zero of=fill bs=4k 2> /dev/null && exit 1  # it is full now
"$1" show --format csv holes.rftrace > ../inside.csv
INSIDE
mkdir mnt
got=0
unshare --map-root-user --mount bash inside.sh "$rangefinder" 2> err || got=$?
case $got in
  0)
    "$rangefinder" show --format csv holes.rftrace > outside.csv 2> /dev/null
    cmp inside.csv outside.csv
    ;;
  *)
    grep -qE 'unshare|mount' err || exit $got
    left_out "a file on a full tmpfs: $(head -1 err)"
    ;;
esac

for i in $(seq 20); do
  cp "$fixtures/nested_basic.ncu-rep" cut.ncu-rep
  (sleep 0.0$((i % 10)) && truncate -s 4096 cut.ncu-rep) &
  ended=0
  "$rangefinder" show cut.ncu-rep > out 2> err || ended=$?
  [ $ended = 0 ] || [ $ended = 5 ] || { echo "status $ended"; exit 1; }
  wait
done
[ $got = 0 ] || skip "no tmpfs of one's own here"
