#!/usr/bin/env bash
# Makes the gallery in docs/cases anew: what its commands print, and its pictures.
#
#   scripts/cases.sh          from the traces in tests/fixtures/cases
#   scripts/cases.sh FOLDER   from new recordings, which take the traces' place:
#                             OUT of bench/gpu/record_cases.sh
#
# RANGEFINDER is the program (that of build/release), and RANGEFINDER_BUILD has what
# tools/check_docs.py needs. Numbers in sentences are checked at the end: those that
# changed are changed by hand. Pictures need node and Chromium, and stay as they are
# without. The same traces give the same text; pictures depend on fonts and browser.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export RANGEFINDER=${RANGEFINDER:-$PWD/build/release/rangefinder}
traces=tests/fixtures/cases
work=$(mktemp -d "${TMPDIR:-/tmp}/rangefinder_cases.XXXXXX")
trap 'rm -rf "$work"' EXIT

# Of the runs of a comparison the summaries are kept, a twelfth of the traces.
keep() {  # keep TRACE FOLDER
  local name
  name=$(basename "$1" .rftrace)
  if [[ $name =~ ^(base|new)-[0-9]+$ ]]; then
    "$RANGEFINDER" summarize --quiet "$1" -o "$2/$name.rfsum"
  else
    zstd -q --ultra -22 "$1" -o "$2/$name.rftrace.zst"
  fi
}
take_recordings() {
  local archive case file
  for archive in "$1"/*.tar.gz; do
    [[ -e $archive ]] || { echo "cases: no CASE.tar.gz in $1" >&2; exit 1; }
    tar -C "$work" -xzf "$archive"
    case=$(basename "$archive" .tar.gz)
    rm -rf "${traces:?}/$case"
    mkdir -p "$traces/$case"
    for file in "$work/$case"/*.rftrace; do keep "$file" "$traces/$case"; done
    for file in "$work/$case"/{machine,ptxas}.txt; do
      [[ ! -e $file ]] || cp "$file" "$traces/$case/"
    done
    echo "cases: $case: $(du -bs "$traces/$case" | cut -f1) bytes"
  done
}

# picture NAME HASH SECTIONS ZOOM COMMAND...: docs/cases/ gets NAME.png, of the
# sections of the HTML page that the command prints; ZOOM is clip.mjs's AT STEPS.
picture() {
  local name=$1 hash=$2 sections=$3 zoom
  read -ra zoom <<< "$4"
  shift 4
  "$RANGEFINDER" "$@" --quiet --format html > "$work/$name.html"
  timeout 100 node web/test/browser/clip.mjs "$work/$name.html#$hash" "$sections" \
    "docs/cases/$name.png" "${zoom[@]}"
}
sides() {  # sides NAME...: the summaries of each, with commas between them
  local name files
  for name in "$@"; do
    files=("$traces/regression/$name"-?.rfsum)
    (IFS=, && echo "${files[*]}")
  done
}
pictures() {
  if ! command -v node > /dev/null || ! node --input-type=module -e '
      import { findChromium } from "./web/test/browser/chromium.mjs";
      process.exit(findChromium() ? 0 : 1);'; then
    echo "cases: WARNING: no node or no Chromium: the pictures are NOT made anew" >&2
    return
  fi
  local tokens='regions.include=[decode,sample]' run=.headline,.wall,.timeline
  picture launches "" $run "0.9 22" show "$traces/decode/eager.rftrace.zst" "$tokens"
  picture launches-graph "" $run "0.9 19" \
    show "$traces/decode/graph.rftrace.zst" "$tokens"
  picture copies "" $run "" show "$traces/loader/pageable.rftrace.zst"
  picture late-rank "tab=ranks&record=1" .late,.ranks "" \
    show tests/fixtures/nccl_rank[01].rftrace.zst 'regions.include=[delayed]'
  local runs
  mapfile -t runs < <(sides base new)
  picture regression "" header,.icicle-panel,.tree "" \
    diff "${runs[@]}" 'regions.include=[request]'
  picture compiler "" header,.icicle-panel,.tree "" \
    diff "$traces"/compiler/{persistent,looped}.rftrace.zst 'regions.include=[step]'
}

[[ $# = 0 ]] || take_recordings "$1"
pictures
# Numbers in sentences are compared with blocks as they are after that.
python3 tools/check_docs.py --update docs/cases/*.md > "$work/update" 2>&1 || true
grep 'written anew' "$work/update" || true
python3 tools/check_docs.py docs/cases/*.md
