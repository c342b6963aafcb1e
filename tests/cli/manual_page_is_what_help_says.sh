#!/bin/bash
# The manual page is made of --help: all commands with their options and
# examples, and it renders without a warning.
. "$(dirname "$0")/common.sh"

python3 "$source_dir/tools/package_texts.py" "$source_dir/CHANGELOG.md" \
  "Nobody <nobody@rangefinder.invalid>" texts "$rangefinder"
gzip -dc texts/rangefinder.1.gz > rangefinder.1
grep -q '^\.TH RANGEFINDER 1' rangefinder.1
sed 's/\\-/-/g' rangefinder.1 > read.txt
for command in $("$rangefinder" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
  grep -q "^\.SH RANGEFINDER ${command^^}" rangefinder.1
  # Each option of the command, in the command's own words.
  "$rangefinder" "$command" --help |
    sed -n '/^Options:/,/^$/s/^  \(-[^ ]*\).*/\1/p' > options
  while read -r option; do
    has read.txt "${option%,}"
  done < options
done
if command -v groff > out; then
  groff -man -Tutf8 -ww rangefinder.1 > page 2> err
  [[ ! -s err ]]
  sed 's/\x1b\[[0-9;]*m\|.\x08//g' page > plain
  has plain "NAME" "EXAMPLES" "RANGEFINDER PROFILE" "rangefinder profile -- ./my_program"
else
  left_out "the page as groff prints it: no groff"
fi
if command -v mandoc > out; then
  mandoc -T lint -W warning rangefinder.1
else
  left_out "warnings of mandoc: no mandoc"
fi
if command -v man > out && man --warnings -l rangefinder.1 > out 2> err; then
  [[ ! -s err ]]
else
  left_out "warnings of man: no man, or it prints no page"
fi
