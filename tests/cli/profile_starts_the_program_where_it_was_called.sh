#!/bin/bash
. "$(dirname "$0")/common.sh"

# Paths after -- keep their meaning. hydra.job.chdir=true starts the program in
# the run directory, as Hydra starts its job there.
mkdir work
cd work
printf '#!/bin/sh\npwd -P > "$1"\n' > program
chmod +x program
for chdir in false null; do
  profile hydra.job.chdir=$chdir -- ./program "where.$chdir" > out 2> err
  [ "$(cat where.$chdir)" = "$(pwd -P)" ]
done
profile -- ./program where.default > out 2> err
[ "$(cat where.default)" = "$(pwd -P)" ]
profile hydra.job.chdir=true -- ./program where.there > out 2> err
[ "$(cat "$t/run/where.there")" = "$(cd "$t/run" && pwd -P)" ]
status 0 "$rangefinder" discover hydra.run.dir="$t/other" hydra.job.chdir=true \
  -- ./program where.discovered > out 2> err
[ -e "$t/other/where.discovered" ]
