#!/bin/bash
. "$(dirname "$0")/common.sh"

# hydra.job.chdir is Hydra's word for its own job; here paths after -- keep their
# meaning.
mkdir work
cd work
printf '#!/bin/sh\npwd -P > "$1"\n' > program
chmod +x program
for chdir in true false null; do
  profile hydra.job.chdir=$chdir -- ./program "where.$chdir" > out 2> err
  [ "$(cat where.$chdir)" = "$(pwd -P)" ]
done
