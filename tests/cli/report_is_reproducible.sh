#!/bin/bash
# A report made again on a machine with neither GPU nor ncu is the same, byte for
# byte: from another folder, another name of the run directory, at another time.
. "$(dirname "$0")/common.sh"

# report RUN of a run directory
profile -- /bin/true > out 2> err
reports() { find "$1" -name 'report.*' -o -name 'kernels.md' -o -name '*.csv' -o -name 's*.txt'; }
keep() { mkdir "$2" && (cd "$1" && reports . | xargs cp --parents -t "$t/$2"); }
"$rangefinder" report run > out 2> err
keep run first
"$rangefinder" report "$t/run/" > out 2> err
keep run second
mkdir -p some/where && mv run some/where/else
(cd some && "$rangefinder" report where/../where/else > out 2> err)
keep some/where/else third
(cd some/where/else && "$rangefinder" report . > "$t/out" 2> "$t/err")
keep some/where/else fourth
for again in second third fourth; do diff -r first $again; done
[ "$(find first -type f | wc -l)" -gt 6 ]
not grep -rqF "$t" first

# The time is that of the capture.
"$rangefinder" show --quiet --format json "$fixtures/nested_basic.ncu-rep" > one.json
[ "$(json one.json 'd["generated_at"][:10]')" = 2026-11-21 ]
[ "$(json one.json '[a["path"] for a in d["capture"]["artifacts"]]')" = '["nested_basic.ncu-rep"]' ]

# Loose files, from two folders
mkdir here && cp "$fixtures/nested_basic.ncu-rep" "$fixtures/multiproc.ncu-rep" here
"$rangefinder" report here/nested_basic.ncu-rep here/multiproc.ncu-rep -o once > out 2> err
(cd here && "$rangefinder" report nested_basic.ncu-rep "$t/here/multiproc.ncu-rep" -o ../twice) \
  > out 2> err
diff -r once twice

SOURCE_DATE_EPOCH=1700000000 "$rangefinder" report \
  "$fixtures/multiproc.ncu-rep" -o dated > /dev/null 2> err
grep -q '"generated_at": "2023-11-14T22:13:20Z"' dated/ncu/regions/report.json
head -1 dated/ncu/regions/report.md | grep -qx '# NCU Region Reports'
[[ -f once/ncu/regions/A__A1/report.md ]]
