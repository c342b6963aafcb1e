#!/bin/bash
# The tasks of examples/vscode run, and their problem matchers find in what is
# printed: an error in a configuration file at its place, and each region that got
# worse. Matching follows VS Code (problemMatcher.ts): consecutive lines, of which
# the last may repeat.
. "$(dirname "$0")/common.sh"
needs_tracer
draw=${RANGEFINDER_BUILD:-$source_dir/build/release}/trace_from_text
[ -x "$draw" ] || skip "no $draw"
command -v node > /dev/null || skip "no node"

cat > task.js << 'JS'
const fs = require("fs");
const { spawnSync } = require("child_process");
const [file, label, ...given] = process.argv.slice(2);
const tasks = JSON.parse(fs.readFileSync(file, "utf8"));
const task = tasks.tasks.find((one) => one.label === label);
const inputs = Object.fromEntries(tasks.inputs.map((one, i) => [one.id, given[i]]));
const args = task.args.map((word) =>
  word.replace(/\$\{input:(\w+)\}/g, (_, id) => inputs[id]));
const done = spawnSync("bash",
  ["-c", 'exec "$0" "$@" 2>&1', task.command, ...args], { encoding: "utf8" });
const lines = done.stdout.split("\n");
fs.writeFileSync("printed", done.stdout);
const keys = ["file", "line", "column", "message"];
for (const matcher of task.problemMatcher) {
  const patterns = [].concat(matcher.pattern);
  const last = patterns[patterns.length - 1];
  const taken = (pattern, line, data) => {
    const found = new RegExp(pattern.regexp).exec(line ?? "");
    if (!found) return null;
    const of = keys.filter((key) => pattern[key]);
    return { ...data, ...Object.fromEntries(of.map((key) => [key, found[pattern[key]]])) };
  };
  for (let i = 0; i < lines.length; ++i) {
    const start = patterns.slice(0, -1).reduce(
      (data, pattern, k) => data && taken(pattern, lines[i + k], data), {});
    for (let k = i + patterns.length - 1; start; ++k) {
      const problem = taken(last, lines[k], start);
      if (!problem) break;
      const placed = patterns[0].kind === "file" || problem.line;
      if (problem.file && problem.message && placed)
        console.log(keys.map((key) => problem[key] ?? "").join("|"));
      if (!last.loop) break;
    }
  }
}
process.exit(done.status);
JS
ln -s "$rangefinder" bin/rangefinder
task() { node task.js "$source_dir/examples/vscode/tasks.json" "$@"; }

# ---- Errors with a place.
status 0 task "rangefinder: profile" "exec '$ranges' gpu 3" > out 2> err
[ ! -s out ] && [ -e .rangefinder/profile/ncu/regions/report.html ]

# As if the task named a configuration of the user's own.
mkdir "conf 1"
rm bin/rangefinder
cat > bin/rangefinder << 'TOOL'
#!/bin/bash
exec "$REAL" "$1" --config-dir "conf 1" --config-name mine "${@:2}"
TOOL
chmod +x bin/rangefinder
export REAL=$rangefinder RECORDED=$t
printf 'defaults: [config, _self_]\nregions:\n  - [\n' > "conf 1/mine.yaml"
status 2 task "rangefinder: profile" true > out 2> err
grep -qx "$t/conf 1/mine.yaml|4|1|expected a value, found the end of the file" out
printf 'defaults: [config, _self_]\nregions:\n  max_rows: x\n' > "conf 1/mine.yaml"
status 2 task "rangefinder: profile" true > out 2> err
grep -qx "$t/conf 1/mine.yaml|3|13|regions.max_rows: expected a whole number .*" out
[ "$(wc -l < out)" = 1 ]

# ---- Regions that got worse, of recorded runs; the commands arrive whole.
run() {  # run FILE NS
  printf '%s\n' "gpu 0 NVIDIA_H200" "thread 11" "10 push a%20%60b%60%0Ac" \
    "12 launch 1" "900 pop" "kernel x 15-$2 of=1" | "$draw" > "$1"
}
for i in 1 2 3 4 5; do
  run base-$i $((400 + i))
  run new-$i $((600 + i))
done
cat > bin/rangefinder << 'TOOL'
#!/bin/bash
words=()
while [ "$1" != -- ]; do words+=("$1"); shift; done
printf '%s\n' "$@" > "$RECORDED/programs"
list() { echo "$RECORDED/$1-"{1,2,3,4,5} | tr ' ' ,; }
exec "$REAL" diff "${words[@]:1}" "$(list base)" "$(list new)"
TOOL
status 8 task "rangefinder: compare" 'echo `touch obeyed`' "echo '\"\$(touch obeyed)" \
  > out 2> err
printf '%s\n' -- bash -c "echo '\"\$(touch obeyed)" ::: bash -c 'echo `touch obeyed`' |
  cmp - programs
not_obeyed
[ "$(grep -c '^.rangefinder/compare.md|||.*: GPU time +51.5 %' out)" = 2 ]
[ "$(wc -l < out)" = 2 ]

# None of a comparison before, where this one fails.
printf '#!/bin/bash\nexit 3\n' > bin/rangefinder
status 3 task "rangefinder: compare" a b > out 2> err
[ ! -s out ]
