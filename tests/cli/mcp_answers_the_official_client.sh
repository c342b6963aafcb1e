#!/bin/bash
# The client of the official SDK finds region and cause of recorded problems,
# with one call each.
. "$(dirname "$0")/common.sh"
command -v npm > npm || skip "npm is not installed: the official client asks nothing"

exam=$source_dir/tests/exam
programs=(copy_h2d_pageable sync_each pipe_fp64)
mkdir runs client
for program in "${programs[@]}"; do cp "$exam/traces/$program.rftrace.zst" runs; done
cp "$source_dir"/tests/mcp/{package.json,package-lock.json,.npmrc,client.mjs} client
npm --prefix client ci --silent > out 2> err ||
  skip "npm cannot fetch the official client: it asks nothing"
timeout 300 node client/client.mjs "$rangefinder" "$t/runs" "$exam/answers.tsv" \
  "${programs[@]}" > out 2> err
has out "all answers are right"
