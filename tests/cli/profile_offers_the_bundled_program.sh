#!/bin/bash
. "$(dirname "$0")/common.sh"
needs_tracer

# Neither a program nor a key: the next step is said, for both wishes.
for command in profile discover; do
  status 2 "$rangefinder" $command > out 2> err
  has err "there is no program to run; write it after --" \
    "rangefinder profile --example"
  [ ! -s out ]
done

# With --example or with keys alone the bundled program runs; here, a stand-in.
mkdir examples
printf '#!/bin/sh\necho "bundled $@"\n' > examples/shallow_resnet
chmod +x examples/shallow_resnet
export RANGEFINDER_EXAMPLES=$t/examples
"$rangefinder" profile --example > out 2> err
has out "bundled --batch 8"
rm -r tmp
profile > out 2> err
has out "bundled --batch 8"

status 2 "$rangefinder" profile --example -- true > out 2> err
has err "leave out --example, or true"
