#!/bin/bash
# The steps of the GitHub action, run by bash with a stand-in for gh: annotations,
# one comment per job, the gate's status. No name and no output of a program is
# obeyed, neither by a shell nor by the runner.
. "$(dirname "$0")/common.sh"
needs_tracer
draw=${RANGEFINDER_BUILD:-$source_dir/build/release}/trace_from_text
[ -x "$draw" ] || skip "no $draw"
python3 -c 'import yaml' 2> /dev/null || skip "no PyYAML"

# gh: knows the comments of comments.txt by id, and keeps what it is told.
cat > bin/gh << 'GH'
#!/bin/bash
[ ! -e "$GH_FAILS" ] || exit 1
printf '%s\n' "$GH_TOKEN $*" >> "$GH_CALLS"
for word in "$@"; do
  case $word in
    body=@*) cp "${word#body=@}" "$GH_CALLS.body"; exit ;;
    .\[\]*) [ ! -e "$GH_CALLS.body" ] || echo 77 ;;
  esac
done
GH
chmod +x bin/gh
mkdir temp
export RUNNER_TEMP=$t/temp GH_CALLS=$t/calls GH_FAILS=$t/fails GH_NUMBER=12
action() {
  python3 "$source_dir/tests/cli/run_action.py" \
    "$source_dir/.github/actions/compare/action.yml" "$@"
}
obeyed_alone() {  # each command that the runner obeys is one of these forms
  not grep -vE "$1" OBEYED
}

# ---- Recorded runs with names that a shell, Markdown or the runner would obey.
run() {  # run FILE NS
  cat << TRACE | "$draw" > "$1"
gpu 0 NVIDIA_H200
thread 11
10 push %24(touch%20obeyed)%60touch%20obeyed%60%27%22%0A::error::planted%0D%0A##[error]planted
11 push %25%0A::add-path::planted%20@octocat%20<img%20src%3dx>%20|%20--format%3dmd
12 launch 1
900 pop
901 pop
kernel x%0A::error::planted 15-$2 of=1
TRACE
}
for i in 1 2 3 4 5; do
  run base-$i $((400 + i))
  run new-$i $((600 + i))
done
export REAL=$rangefinder RECORDED=$t
cat > bin/recorded << 'TOOL'
#!/bin/bash
# `compare` with runs that are there.
if [ -n "$LONG" ] && [ "$1 $5" = "diff md" ]; then
  yes ééé | head -c 200000 > "$7"
  exit
fi
[ "$1" = compare ] || exec "$REAL" "$@"
shift
echo "::error::planted"
echo "::add-path::planted" >&2
printf '##[error]planted'
mkdir runs
cp "$RECORDED"/base-? "$RECORDED"/new-? runs
words=()
while [ "$1" != hydra.run.dir=runs ]; do
  [ "$1" != --runs ] || shift 2
  words+=("$1")
  shift
done
printf '%s\n' "$@" > "$RECORDED/programs"
list() { echo "runs/$1-"{1,2,3,4,5} | tr ' ' ,; }
exec "$REAL" diff "${words[@]}" "$(list base)" "$(list new)"
TOOL
chmod +x bin/recorded
status 8 action rangefinder=recorded command='echo `touch obeyed` "$(x)"' \
  base-command="echo '" settings=$'diff.gate.time=1%\n\n' > out 2> err
obeyed_alone '^::(error|notice) title=rangefinder diff::'
has OBEYED '::error title=rangefinder diff::$(touch obeyed)`touch obeyed`' "GPU time +"
has out "uses actions/upload-artifact"
has calls "secret api --silent repos/a/b/issues/12/comments -F body=@"
has calls.body "SLOWER" '&lt;img' '@<!-- -->octocat'
not grep -q '@octocat' calls.body
head -1 calls.body | grep -qx '<!-- rangefinder compare: ci---x- job -->'
# Each command is one word, run where it belongs.
has programs 'echo `touch obeyed` "$(x)"' "echo '" ":::"
not_obeyed
[ -z "$(find . -name planted)" ]

# The next run replaces its comment, and a limit of the user's own is heard.
status 0 action rangefinder=recorded command=a base-command=b \
  settings=diff.gate.time=90% > out 2> err
has calls "secret api --silent -X PATCH repos/a/b/issues/comments/77 -F body=@"
obeyed_alone '^::notice title=rangefinder diff::'

# GitHub takes 65,536 characters.
LONG=1 status 8 action rangefinder=recorded command=a base-command=b > out 2> err
python3 -c 'text = open("calls.body", encoding="utf-8").read()
assert 60000 < len(text) < 65536 and "artifact" in text[-100:]'

# Without a comment where it is not wanted, or no pull request; with a warning
# where it is refused.
rm calls calls.body
status 8 action rangefinder=recorded command=a base-command=b comment=false > out 2> err
GH_NUMBER='' status 8 action rangefinder=recorded command=a base-command=b > out 2> err
[ ! -e calls ]
touch fails
status 8 action rangefinder=recorded command=a base-command=b > out 2> err
has OBEYED "::warning title=rangefinder compare::no comment was written"
rm fails

# ---- Real runs: a commit against the working tree, each built.
git init -q --bare origin
git init -q work
cd work
git config user.email nobody@example.com
git config user.name nobody
printf '#!/bin/sh\ntest -e built || exit 5\necho "::error::planted"\nexec "$RANGES" gpu 3\n' > app.sh
git add app.sh
git commit -qm base
git push -q ../origin HEAD:refs/heads/main
git remote add origin ../origin
sed -i 's/gpu 3/gpu 6/' app.sh
export RANGES=$ranges
status 0 action rangefinder="$rangefinder" command='sh "app.sh"' base-ref=main runs=1 \
  build='echo "$PWD" >> "$RECORDED/builds" && touch built' \
  settings=$'pipeline.counters.enable=false\nreport.formats=[json]' > ../out 2> ../err
[ "$(sort -u ../builds | wc -l)" = 2 ]
obeyed_alone '^::(notice|warning) title=rangefinder diff::'
has ../calls.body "3 → 6 instances"

# A program that fails: its status, an error, no comment.
rm ../calls
status 3 action rangefinder="$rangefinder" command='echo ::error::planted; exit 9' \
  base-ref=main runs=1 > ../out 2> ../err
obeyed_alone '^::error title=rangefinder compare::no comparison: exit status 3'
[ ! -e ../calls ]

# ---- Inputs that are none.
for input in 'runs=1; touch obeyed' runs=0 'base-ref=--upload-pack=touch obeyed' \
  base-ref=main:refs/heads/x settings=--output=obeyed $'settings=a.b=1\n-o' \
  base-command=a; do
  status 2 action rangefinder=/bin/false command=a base-command=b "$input" > ../out 2> ../err
done
cd ..
not_obeyed
