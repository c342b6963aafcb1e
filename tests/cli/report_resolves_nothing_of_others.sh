#!/bin/bash
# A run keeps its configuration as it was written, and what is read of somebody
# else's asks nothing of the environment here.
. "$(dirname "$0")/common.sh"

export SECRET=hunter2-of-the-caller WHICH=A
profile pipeline.trace.enable=false '+token=${oc.env:SECRET}' \
  '+mine=${device}' 'regions.include=["${oc.env:WHICH}"]' -- true > out 2> err
has run/config.yaml 'token: ${oc.env:SECRET}' 'mine: ${device}' '${oc.env:WHICH}'
not grep -rqF "$SECRET" run
regions() { json "$1" '[r["name"] for r in d["scopes"][0]["regions"] if r["depth"] == 0]'; }
[ "$(regions run/ncu/regions/report.json)" = '["A"]' ]
fingerprint=$(json run/ncu/regions/report.json 'd["config_fingerprint"]')

# A warning, and left out, unless the caller gives the value.
"$rangefinder" report run > out 2> err
has err 'regions.include is ${oc.env:WHICH}' 'regions.include=VALUE'
[ "$(regions run/ncu/regions/report.json)" != '["A"]' ]
[ "$(json run/ncu/regions/report.json 'd["config_fingerprint"]')" = "$fingerprint" ]
"$rangefinder" report run 'regions.include=["${oc.env:WHICH}"]' > out 2> err
[ "$(regions run/ncu/regions/report.json)" = '["A"]' ]
not grep -q 'regions.include is' err

# Every way out of the tree.
mkdir -p theirs/ncu
cp "$fixtures/nested_basic.ncu-rep" theirs/ncu/
cat > theirs/config.yaml <<'YAML'
hidden: ${oc.env:SECRET}
text: 'B${oc.env:SECRET}'
more: {x: '${hidden}'}
all_of_it: ${oc.dict.values:more}
regions:
  include: ['*', '${hidden}', '${oc.select:hidden}', '${oc.decode:${hidden}}']
  exclude: ['${text}', '${hydra:runtime.cwd}']
  max_rows: ${oc.decode:${oc.env:ROWS,7}}
report:
  metrics: ['${oc.env:SECRET}', '${now:%Y}', '${oc.env:NONE,theirs}']
hydra:
  run: {dir: '/nowhere/${oc.env:SECRET}'}
  job: {env_copy: [SECRET]}
YAML
"$rangefinder" report theirs > out 2> err
"$rangefinder" show theirs --format json > shown 2>> err
"$rangefinder" kernels theirs >> shown 2>> err
not grep -rqF "$SECRET" theirs/ncu shown out
not grep -qF 'hunter2' err
has err 'regions.max_rows is' 'report.metrics is'

# Who names the configuration says that it is theirs.
"$rangefinder" config --config-dir theirs --config-name config --resolve > out 2> err
has out "hidden: $SECRET"

# No file that lies elsewhere is read, or told in an error.
echo "password: $SECRET" > secret.yaml
for defaults in ../secret@report /../secret@report "$t/secret@report" x/../../secret@report; do
  printf 'defaults: [%s, _self_]\n' "$defaults" > theirs/config.yaml
  status 2 "$rangefinder" show theirs > out 2> err
  not grep -qF "$SECRET" out err
done
printf 'defaults: [secret@report, _self_]\nhydra: {searchpath: ["file://%s"]}\n' "$t" > theirs/config.yaml
status 2 "$rangefinder" show theirs > out 2> err
not grep -qF "$SECRET" out err
