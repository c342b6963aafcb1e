"""The promises, by the sections of the specification.

A row is (section, promise, command, check): the command ends with `status` (0),
and the check, a Python expression over the names of promises.Result, is true.
`d` is standard output as JSON. A row with `needs` is listed and not run.
"""
import collections

SECTIONS = {2: "Commands", 3: "Configuration", 4: "Attribution", 5: "Rollup",
            6: "The run directory", 7: "report.json", 8: "Backends", 10: "Answers",
            11: "Trust"}
Row = collections.namedtuple("Row", "section promise command check status needs")
ROWS = []


def row(section, promise, command, check="True", status=0, needs=None):
    assert needs or check != "True" or status, command
    ROWS.append(Row(section, promise, command, check, status, needs))


def later(section, promise, command, needs):
    row(section, promise, command, needs=needs)


CAPTURE = "nested_basic.ncu-rep"
PROFILE = "rangefinder profile hydra.run.dir=run pipeline.trace.enable=false"
NCU = f"{PROFILE} pipeline.ncu.enable=true"
ARMED = ("export RANGEFINDER_SOCKET_DIR=$PWD/s; rangefinder run -- inject_ranges pairs 999999999 & "
         "until [ -S s/$!.sock ]; do sleep 0.05; done;")
COMMANDS = ("profile discover report show diff compare summarize merge counters "
            "explain run window serve filter kernels mcp config doctor")

# ---- 2. Commands
row(2, "`profile` runs, measures, reports", f"{NCU} -- sh -c 'echo hello'",
    "'hello' in out and exists('run/ncu/run.ncu-rep', 'run/ncu/regions/report.html')")
later(2, "`profile` alone: counters of all regions in one run",
      "rangefinder profile -- ./my_program", "needs a GPU: gpu.documented_lines")
row(2, "`--version` after any command",
    "for c in " + COMMANDS + "; do rangefinder $c --version; done",
    "out.count('rangefinder ') == 18")
row(2, "a program that does not exist is status 2, in every mode",
    "rangefinder discover -- /nonexistent", "'there is no program' in err", status=2)
row(2, "`discover` runs once: regions, no counters",
    "rangefinder discover hydra.run.dir=run pipeline.trace.mode=regions -- inject_ranges nested 2",
    "paths(load('run/ncu/regions/report.json')) > {'A', 'A > A::A1', 'B'}")
later(2, "`discover` has GPU times", "rangefinder discover -- ./my_program",
      "needs a GPU: gpu.documented_lines")
row(2, "`report` of a loose `.ncu-rep` writes into `hydra.run.dir`",
    f"rangefinder report {CAPTURE} hydra.run.dir=out",
    "exists('out/ncu/regions/report.md', 'out/ncu/regions/report.json', 'out/ncu/regions/report.html')")
row(2, "`report` of a run directory writes into it",
    f"{NCU} -- true && rm -r run/ncu/regions run/report.md && rangefinder report run",
    "exists('run/ncu/regions/report.md', 'run/report.md')")
row(2, "`report` of a trace", "rangefinder report nccl_rank0.rftrace.zst hydra.run.dir=out",
    "load('out/ncu/regions/report.json')['scopes'][0]['totals']['kernel_count'] > 0")
row(2, "`report` of an export of Nsight Systems",
    "rangefinder report steps.sqlite hydra.run.dir=out",
    "load('out/ncu/regions/report.json')['scopes'][0]['totals']['kernel_count'] == 4")
row(2, "`report` of several files",
    "rangefinder report nested_basic.ncu-rep graph_node.ncu-rep hydra.run.dir=out",
    "load('out/ncu/regions/report.json')['scopes'][0]['totals']['kernel_count'] == 40")
row(2, "`show` writes no file", f"rangefinder show {CAPTURE}", "'A::A1' in out and files() == []")
row(2, "`show --format table`", f"rangefinder show --format table {CAPTURE}",
    "'A::A1' in out and 'aggregate = process:1936/device:0' in out")
row(2, "`show --format md`", f"rangefinder show --format md {CAPTURE}",
    "out.startswith('# NCU Region Reports\\n')")
row(2, "`show --format json` prints the document of report.json",
    f"export SOURCE_DATE_EPOCH=1700000000; rangefinder report {CAPTURE} hydra.run.dir=out > log; rangefinder show --format json {CAPTURE}",
    "without_paths(d) == without_paths(load('out/ncu/regions/report.json'))")
row(2, "`show --format csv`", f"rangefinder show --format csv {CAPTURE}",
    "len(rows(out)) == 28")
row(2, "`diff BASE NEW`, region by region",
    f"rangefinder diff {CAPTURE} multiproc.ncu-rep", "'A/A::A1' in out")
row(2, "`diff --format json`", f"rangefinder diff --format json {CAPTURE} multiproc.ncu-rep",
    "d['schema'] == 'rangefinder.diff/1' and any(r['path'] == 'A/A::A1' for r in d['regions'])")
row(2, "`diff --calibrate` for the noise",
    f"cp {CAPTURE} a.ncu-rep; cp {CAPTURE} b.ncu-rep; rangefinder diff --calibrate -o noise.json a.ncu-rep b.ncu-rep",
    "load('noise.json')")
row(2, "`compare` runs both, interleaved, and diffs them",
    "rangefinder compare --runs 2 hydra.run.dir=runs pipeline.ncu.enable=true "
    "pipeline.trace.enable=false pipeline.counters.enable=false -- true ::: sh -c true",
    "exists('runs/base-1', 'runs/new-1', 'runs/new-2', 'runs/base-2') and 'the same' in out")
row(2, "`summarize DIR -o FILE`",
    "mkdir run; cp nccl_rank0.rftrace.zst run; rangefinder summarize run -o one.rfsum && rangefinder show one.rfsum --format json",
    "d['scopes'][0]['totals']['kernel_count'] > 0")
row(2, "`merge`: any order, the same bytes",
    "for r in 0 1; do mkdir r$r; cp nccl_rank$r.rftrace.zst r$r; rangefinder summarize r$r -o $r.sum; done; "
    "rangefinder merge 0.sum 1.sum -o a; rangefinder merge 1.sum 0.sum -o b; cmp a b && wc -c < a",
    "int(out) > 1000")
later(2, "`counters [PATTERN]`: passes for sample and count",
      "rangefinder counters --chip GH100 'dram__bytes*'",
      "needs CUPTI: gpu.documented_lines")
row(2, "`explain`: ranked causes and what to do",
    f"rangefinder explain {CAPTURE}", "out.startswith('Why it is slow\\nB: compute-bound') and 'to do:' in out")
row(2, "`explain --for agent`", f"rangefinder explain --for agent {CAPTURE}",
    "out.startswith('# Why it is slow') and 'cause=compute_bound region_id=' in out")
row(2, "`explain --for agent --budget N`: at most so many tokens",
    f"rangefinder explain --for agent --budget 150 {CAPTURE}",
    "len(out.encode()) <= 600 and 'cause=compute_bound' in out and 'Left out for the budget' in out")
row(2, "`diff --for agent --budget N`", f"rangefinder diff --for agent --budget 150 {CAPTURE} multiproc.ncu-rep",
    "len(out.encode()) <= 600 and out.startswith('# What changed')")
row(2, "`mcp FOLDER…` answers over the Model Context Protocol",
    f"mkdir own; cp -L {CAPTURE} own; "
    """printf '%s\\n' '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18"}}' """
    """'{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"explain","arguments":{"run":"nested_basic.ncu-rep"}}}' | """
    "rangefinder mcp own | tail -1",
    "d['id'] == 2 and 'cause=compute_bound' in d['result']['content'][0]['text']")
row(2, "`run -- PROGRAM` becomes the program",
    "rangefinder run -- sh -c 'echo $RANGEFINDER_INJECT_MODE; exit 7'",
    "out == 'armed\\n' and not err", status=7)
row(2, "`window PID` measures a part of it",
    f"{ARMED} rangefinder window $! --instances outer:9 hydra.run.dir=run "
    "pipeline.trace.mode=regions; status=$?; kill -9 $!; exit $status",
    "exists('run/ncu/regions/report.html') and 'inner' in out")
row(2, "`window` of a program that was not armed is refused",
    "rangefinder window 4194305", "'there is no such process' in err", status=2)
row(2, "`serve RUN` serves windows to Prometheus",
    f"{ARMED} rangefinder serve $! --listen 127.0.0.1:9769 --every 60s --window 0.02s "
    "hydra.run.dir=run pipeline.trace.mode=regions 2> said & "
    "for i in $(seq 100); do sleep 0.1; python3 -c 'import urllib.request as u; "
    "print(u.urlopen(\"http://127.0.0.1:9769/metrics\").read().decode())' 2> errors > answer && "
    "grep -q 'region=\"outer\"' answer && break; done; kill %2; kill -9 %1; cat answer",
    "'rangefinder_region_instances{' in out and 'rangefinder_up' in out")
row(2, "`filter EXPR PATH`: regions, kernels, ncu's expressions",
    f"rangefinder filter 'decode*' {CAPTURE}",
    "'--nvtx-include LLM@decode_0/' in out and 'selects   6 of 28 measurements, in 3 regions' in out")
row(2, "`filter --format json`", f"rangefinder filter --format json 'LLM@*' {CAPTURE}",
    "list(d) == ['expression', 'valid', 'error', 'translated', 'measurements', 'regions', 'hints'] and d['measurements'] == list(range(11, 20)) and ['LLM@prefill', 'LLM@attn'] in d['regions']")
row(2, "`filter --native` takes ncu's own text",
    f"rangefinder filter --native --format json A/ {CAPTURE}",
    "d['translated'] == ['A/'] and d['measurements'] == [2, 3, 4, 5, 6, 7]")
row(2, "`filter --native` of an invalid text",
    f"rangefinder filter --native --format json @/ {CAPTURE}",
    "d['valid'] is False and d['error'] and d['regions'] == []")
row(2, "`kernels --top K`", f"rangefinder kernels --top 1 --format json {CAPTURE}",
    "len(d['kernels']) == 1 and d['kernels'][0]['calls'] == 8")
row(2, "`kernels` writes a list that `profile` takes",
    f"rangefinder kernels --top 2 --format yaml {CAPTURE} > top.yaml && {NCU} pipeline.ncu.kernel_config=top.yaml -- true",
    "sum(name.endswith('/ncu.ncu-rep') for name in files('run/ncu')) == 2")
row(2, "`config` prints the composed configuration",
    "rangefinder config pipeline.ncu.ncu_cli.replay_mode=range",
    "'replay_mode: range' in out")
row(2, "`config --format json`: the composed tree",
    "rangefinder config --format json regions.max_rows=7",
    "d['regions']['max_rows'] == 7 and d['device'] == 'cuda:0'")
row(2, "`doctor --format json`: a list of checks",
    "rangefinder doctor --format json; true",
    "all(list(c) == ['check', 'ok', 'found', 'fix'] for c in d) and any(c['check'] == 'ncu' and c['ok'] for c in d)")
row(2, "override `a=b`", "rangefinder config --format json device=cuda:1",
    "d['device'] == 'cuda:1'")
row(2, "override `+a.b=1`", "rangefinder config --format json +mine.key=1",
    "d['mine'] == {'key': 1}")
row(2, "override `~a`", "rangefinder config --format json ~device", "'device' not in d")
row(2, "override `group=option`", "mkdir -p own/rollup; echo 'mine: 1' > own/rollup/mine.yaml; rangefinder config --format json --config-dir own rollup=mine",
    "d['rollup'] == {'mine': 1}")
row(2, "override `group@package=option`",
    "rangefinder config --format json profiling/ncu@pipeline.ncu=ncu.high",
    "'InstructionStats' in d['pipeline']['ncu']['ncu_cli']['sections']")
row(2, "every command has `--help`",
    f"for c in {COMMANDS}; do rangefinder $c --help | grep -q 'Usage: rangefinder '$c || echo $c; done; echo end",
    "out == 'end\\n'")
row(2, "every command has `--config-dir`, `--config-name`, `--quiet`, `--verbose`, `--color`",
    f"for c in {COMMANDS}; do for f in config-dir config-name quiet verbose color; do "
    "rangefinder $c --help | grep -q -e --$f || echo $c $f; done; done; echo end",
    "out == 'end\\n'")
row(2, "`--version`", "rangefinder --version", "out.startswith('rangefinder ')")
row(2, "`--config-dir` is searched first",
    "mkdir -p own/profiling/ncu; echo 'ncu_cli: {metrics: [m]}' > own/profiling/ncu/ncu.default.yaml; "
    "rangefinder config --format json --config-dir own",
    "d['pipeline']['ncu']['ncu_cli']['metrics'] == ['m']")
row(2, "`--config-name`",
    "mkdir own; echo 'device: cuda:7' > own/mine.yaml; rangefinder config --format json --config-dir own --config-name mine",
    "d['device'] == 'cuda:7'")
row(2, "`--color`", f"rangefinder show --color always {CAPTURE}; rangefinder show --color never {CAPTURE} >&2",
    "'\\x1b[' in out and '\\x1b' not in err")
row(2, "`--quiet` says only errors",
    "rangefinder config --quiet +device=cuda:1", "err == '' and 'device: cuda:1' in out")
row(2, "`--verbose` says more",
    f"rangefinder show {CAPTURE} regions.include=B; rangefinder show --verbose {CAPTURE} regions.include=B >&2",
    "'1 note that changes no number: --verbose' in out and len(err) > len(out)")
row(2, "results to standard output, everything else to standard error",
    "rangefinder config --format json +device=cuda:1", "d['device'] == 'cuda:1' and err.startswith('note: ')")
later(2, "long work shows progress", "rangefinder profile pipeline.ncu.enable=true -- ./my_program",
      "needs a terminal: cli.profile_shows_progress")
row(2, "status 0: nothing matched is an answer, and the report says so",
    f"rangefinder show {CAPTURE} 'regions.include=[nosuch]'", "'matches nothing' in out")
row(2, "status 2: unknown command", "rangefinder nosuchcommand", "'nosuchcommand' in err", 2)
row(2, "status 2: unknown flag", f"rangefinder show --nope {CAPTURE}", "'--nope' in err", 2)
row(2, "status 2: unknown key, with the nearest", f"rangefinder show regions.max_row=3 {CAPTURE}",
    "'regions.max_rows' in err", 2)
row(2, "status 2: invalid pattern", f"rangefinder show 'regions.include=[regex:(]' {CAPTURE}",
    "'regions.include' in err", 2)
row(2, "status 3: the program failed", f"{NCU} -- sh -c 'exit 5'", "'code 5' in err", 3)
row(2, "status 4: no ncu", f"{NCU} pipeline.ncu.path=nowhere -- true", "'nowhere' in err", 4)
row(2, "status 4: no permission", f"FAKE_NCU_FAIL=permission {NCU} -- true",
    "'NVreg_RestrictProfilingToAdminUsers=0' in err", 4)
row(2, "status 5: no capture", "head -c 5000 /dev/zero > zero.ncu-rep; rangefinder show zero.ncu-rep",
    "'zero.ncu-rep' in err", 5)
row(2, "status 6: a manifest of a newer version",
    f"{NCU} -- true > log 2>&1; sed -i 's|rangefinder.capture/1|rangefinder.capture/9|' run/ncu/manifest.json; rangefinder report run",
    "'manifest.json' in err", 6)
row(2, "status 7: no such file", "rangefinder show missing.ncu-rep", "'no such file' in err", 7)
row(2, "status 7: a folder without permission",
    f"chmod 755 .; mkdir closed; chmod 500 closed; cp $(command -v rangefinder) ./rf; cp {CAPTURE} a.ncu-rep; chmod 644 a.ncu-rep; "
    "setpriv --reuid=nobody --clear-groups ./rf report a.ncu-rep hydra.run.dir=closed/out",
    "'closed' in err", 7)
row(2, "status 8: a gate was crossed",
    f"rangefinder diff --gate diff.gate.metrics.gpu__time_duration.sum=1% {CAPTURE} multiproc.ncu-rep",
    "'worse: A: gpu__time_duration.sum' in out", 8)
row(2, "status 130: interrupted",
    f"mkfifo pipe.ncu-rep; (head -c 300000 {CAPTURE}; sleep 2) > pipe.ncu-rep & timeout --preserve-status -s INT 1 rangefinder show pipe.ncu-rep",
    "'interrupted' in err", 130)

# ---- 3. Configuration
DRY = "rangefinder profile --dry-run pipeline.ncu.enable=true"
INCLUDE = "pipeline.ncu.ncu_cli.nvtx.include"
for key, value, flag in (
        ("replay_mode", "application", "--replay-mode application"),
        ("sections", "[SpeedOfLight,Occupancy]", "--section SpeedOfLight --section Occupancy"),
        ("set", "basic", "--set basic"),
        ("target_processes", "application-only", "--target-processes application-only"),
        ("kernel_name", "burn", "--kernel-name burn"),
        ("kernel_name_base", "function", "--kernel-name-base function"),
        ("launch_skip", "3", "--launch-skip 3"),
        ("launch_count", "2", "--launch-count 2"),
        ("clock_control", "none", "--clock-control none"),
        ("graph_profiling", "graph", "--graph-profiling graph")):
    row(3, f"`ncu_cli.{key}` is ncu's option", f"{DRY} 'pipeline.ncu.ncu_cli.{key}={value}' -- app",
        f"{flag!r} in out")
row(3, "`ncu_cli.metrics` is one list", f"{DRY} pipeline.ncu.ncu_cli.set=null 'pipeline.ncu.ncu_cli.metrics=[dram__bytes.sum,sm__inst_executed.sum]' 'pipeline.ncu.ncu_cli.sections=[]' -- app",
    "'--metrics dram__bytes.sum,sm__inst_executed.sum' in out")
row(3, "every long option of ncu is a key, but for 12 that do something else than profiling",
    "rangefinder config --format json",
    "len({o['long'].replace('-', '_') for o in rows(text('options.tsv'), '\\t')} - set(d['pipeline']['ncu']['ncu_cli'])) == 12")
row(3, "an unknown option of ncu is an error with a suggestion",
    f"{DRY} pipeline.ncu.ncu_cli.replay_mod=range -- app", "'replay_mode' in err", 2)
row(3, "strict keys", "rangefinder config pipeline.nope=1", "'nope' in err", 2)
row(3, "interpolation", "rangefinder config --resolve --format json '+mine=${device}'",
    "d['mine'] == 'cuda:0'")
row(3, "what `config` prints can be composed again",
    "mkdir own; rangefinder config > own/config.yaml; rangefinder config --no-embedded --config-dir own | cmp - own/config.yaml && echo same",
    "out == 'same\\n' and 'replay_mode: kernel' in text('own/config.yaml')")
row(3, "`hydra.job.chdir=true` starts the program in the run directory",
    f"{NCU} hydra.job.chdir=true -- pwd", "out.splitlines()[0].endswith('/run')")
row(3, "`hydra.run.dir` has its default",
    "rangefinder config --cfg hydra", "'${hydra:runtime.cwd}/tmp/profile-output/${now:%Y%m%d-%H%M%S}' in out")
row(3, "`force_overwrite=false` keeps an earlier capture",
    f"{NCU} -- true > log 2>&1; {NCU} pipeline.ncu.ncu_cli.force_overwrite=false -- true",
    "'force_overwrite' in err", 2)
row(3, "`export.csv=false`: no raw.csv", f"{NCU} pipeline.ncu.ncu_cli.export.csv=false -- true",
    "exists('run/ncu/regions/report.md') and not exists('run/ncu/raw.csv')")
row(3, "`pipeline.nsys.enable` runs Nsight Systems",
    f"{PROFILE} pipeline.nsys.enable=true -- true",
    "exists('run/nsys/run.nsys-rep', 'run/nsys/run.sqlite', 'run/nsys/cmd.txt')")
row(3, "`pipeline.workload.argv` names the program",
    f"{NCU} 'pipeline.workload.argv=[echo,from the workload]'", "'from the workload' in out")
row(3, "`nvtx.include` as a string", f"{DRY} {INCLUDE}='LLM@*' -- app",
    "'--nvtx-include' in out and 'LLM' in out")
row(3, "`nvtx.include` as a `;` string", f"{DRY} \"{INCLUDE}='A;B;A::A1'\" -- app",
    "all(f'@^{n}$/' in out for n in ('A', 'B', 'A::A1'))")
row(3, "`nvtx.include` as a list", f"{DRY} '{INCLUDE}=[A,B]' -- app",
    "all(f'@^{n}$/' in out for n in 'AB')")
row(3, "`nvtx.native=true` passes the text", f"{DRY} {INCLUDE}=prefill/ pipeline.ncu.ncu_cli.nvtx.native=true -- app",
    "'--nvtx-include prefill/ ' in out and 'regex:' not in out")
row(3, "the translation is shown", f"{DRY} {INCLUDE}='decode*' -- app",
    "\"--nvtx-include 'regex:.*@^decode.*$/'\" in out")
row(3, "and kept with the artifacts", f"{NCU} {INCLUDE}='decode*' -- true",
    "'regex:.*@^decode.*$/' in text('run/ncu/cmd.txt') and 'decode*' in text('run/config.yaml')")
row(3, "`gating_nvtx=true`: any range where nothing is included", f"{DRY} -- app",
    "'--nvtx-include' in out")
row(3, "`gating_nvtx=false`: every kernel", f"{DRY} pipeline.ncu.gating_nvtx=false -- app",
    "'--nvtx ' in out and '--nvtx-include' not in out")
SHOW = f"rangefinder show --format json {CAPTURE}"
for title, pattern, want in (
        ("exact pattern", "B", "{'B'}"),
        ("exact pattern of an odd name", "weird/na me,[x]@y*", "{'weird/na me,[x]@y*'}"),
        ("glob", "decode_[01]", "{'LLM@decode_0', 'LLM@decode_1'}"),
        ("glob `?`", "T?", "{'T0', 'T1'}"),
        ("`regex:`, unanchored", "regex:ecode_[12]", "{'LLM@decode_1', 'LLM@decode_2'}"),
        ("`domain@name`", "LLM@pre*", "{'LLM@prefill', 'LLM@prefill > LLM@attn'}"),
        ("without `@`, any domain", "prefill", "{'LLM@prefill', 'LLM@prefill > LLM@attn'}"),
        ("a pattern with `/` is a path", "A/A::A1", "{'A > A::A1'}"),
        ("`**` for any frames", "**/attn", "{'LLM@prefill > LLM@attn'}")):
    row(3, f"`regions.include`: {title}", f"{SHOW} 'regions.include=[\"{pattern}\"]'",
        f"{want} <= paths(d) and not paths(d) - {want} - {{'A', 'LLM@prefill', ''}}")
row(3, "`regions.exclude` wins", f"{SHOW} 'regions.include=[\"LLM@*\"]' 'regions.exclude=[\"decode_1\"]'",
    "'LLM@decode_0' in paths(d) and 'LLM@decode_1' not in paths(d)")
row(3, "`regions.domains.include`", f"{SHOW} 'regions.domains.include=[LLM]'",
    "all(r['domain'] == 'LLM' for r in regions(d) if r['path'])")
row(3, "`regions.domains.exclude`", f"{SHOW} 'regions.domains.exclude=[LLM]'",
    "'A' in paths(d) and not any(r['domain'] == 'LLM' for r in regions(d))")
row(3, "`regions.kernels.include`", f"{SHOW} 'regions.kernels.include=[\"burn*\"]'",
    "{k['kernel_name'] for r in regions(d) for k in r['kernels']} == {'void burn<(int)256>(int, float *)'}")
row(3, "`regions.kernels.exclude` wins",
    f"{SHOW} 'regions.kernels.include=[\"s*\"]' 'regions.kernels.exclude=[saxpy]'",
    "all('stencil' in k['kernel_name'] for r in regions(d) for k in r['kernels'])")
row(3, "`regions.merge.auto`: names of a loop are one region",
    "rangefinder show --format json steps.sqlite",
    "paths(d) == {'step_*'} and region(d, 'step_*')['instances'] == 4")
row(3, "`regions.merge.auto=false`", "rangefinder show --format json steps.sqlite regions.merge.auto=false",
    "{'step_1', 'step_2', 'step_3', 'step_4'} <= paths(d)")
row(3, "other names are merged from eight on", "rangefinder show --format json decode8.sqlite",
    "region(d, 'decode_*')['instances'] == 8")
row(3, "seven of them are not", "rangefinder show --format json decode7.sqlite",
    "len(paths(d)) == 7")
row(3, "`regions.merge.patterns`", f"{SHOW} 'regions.merge.patterns=[\"decode_*\"]'",
    "region(d, 'LLM@decode_*')['instances'] == 3")
row(3, "`regions.only=false` has the rest of the run", f"{SHOW} 'regions.include=[B]' regions.only=false",
    "{'A', 'B'} <= paths(d)")
row(3, "`regions.only=true`: the rest is one line with its share", f"{SHOW} 'regions.include=[B]' regions.only=true",
    "paths(d) == {'B'} and d['rest']['kernel_count'] == 26 and 0 < d['rest']['share'] < 1")
row(3, "`regions.aggregate=false` removes the aggregate and nothing else",
    "rangefinder show --format json multiproc.ncu-rep regions.aggregate=false",
    "[s['scope'] for s in d['scopes']] == ['process:494/device:0', 'process:495/device:0'] and len(regions(d)) == 15")
row(3, "`regions.start_end=ignore`", f"{SHOW} regions.start_end=ignore",
    "not any(r['kind'] == 'start_end' for r in regions(d)) and conserved(d)")
row(3, "`regions.start_end=path`", SHOW, "region(d, 'S1', 'S2')['kernel_count'] == 1")
row(3, "`regions.max_rows`: one line says how many more", f"rangefinder show {CAPTURE} regions.max_rows=3",
    "'12 more regions' in out")
row(3, "`report.formats`", f"rangefinder report {CAPTURE} hydra.run.dir=out 'report.formats=[md]'",
    "exists('out/ncu/regions/report.md') and not exists('out/ncu/regions/report.json') and not exists('out/ncu/regions/report.html')")
row(3, "`regions.framework`: names and phases of frameworks",
    "rangefinder show --format json nccl_rank0.rftrace.zst regions.framework=nccl",
    "d['capture']['frameworks'] == ['NCCL'] and d['scopes'][0]['phases'][0]['phase'] == 'communication'")

# ---- 4. Attribution
row(4, "the same name under two parents is two regions", SHOW,
    "region(d, 'S2')['kernel_count'] == 1 and region(d, 'S1', 'S2')['kernel_count'] == 1")
row(4, "paths are ordered by opening", SHOW,
    "region(d, 'A', 'A::A1')['parent_id'] == region(d, 'A')['id']")
row(4, "no open range: `(unattributed)`, with an empty path", SHOW,
    "region(d)['name'] == '(unattributed)' and region(d)['kernel_count'] == 4")
for file in (CAPTURE, "multiproc.ncu-rep", "graph_node.ncu-rep", "graph_graph.ncu-rep",
             "nested_full_A.ncu-repz", "nccl_rank0.rftrace.zst", "steps.sqlite"):
    row(4, "conservation: exclusive values add up to the totals, own + children = inclusive",
        f"rangefinder show --format json {file}", "conserved(d) and adds_up(d) and d['scopes'][0]['totals']['kernel_count'] > 0")
row(4, "conservation in CSV", f"rangefinder show --format csv {CAPTURE}",
    "len(rows(out)) == 28 and sum(r['region'] == '[]' for r in rows(out)) == 4")
row(4, "conservation with a pruned domain", f"{SHOW} 'regions.domains.exclude=[LLM]'",
    "conserved(d) and adds_up(d) and d['scopes'][0]['totals']['kernel_count'] == 28")
row(4, "a pruned domain has a note", f"{SHOW} 'regions.domains.exclude=[LLM]'", "any(n['kind'] == 'domains_not_selected' and '9 measurements' in n['text'] for n in d['notes'])")
row(4, "a range measured as a whole is not added to kernels",
    "rangefinder show --format json range_ABprefill.ncu-rep",
    "d['scopes'][0]['totals']['kernel_count'] is None and region(d, 'A')['measured'][0]['mode'] == 'range'")
row(4, "app-range replay", "rangefinder show --format json apprange_nested.ncu-rep",
    "region(d, 'LLM@prefill')['measured'][0]['mode'] == 'app-range'")
row(4, "by name: a name nested in itself counts once", "rangefinder show --format json wide.sqlite",
    "[b for b in d['scopes'][0]['by_name'] if b['name'] == 'outer'][0]['inclusive']['kernel_count'] == 3")
row(4, "ranges that cross, are never closed, or have no name: conserved",
    "rangefinder show --format json odd.sqlite",
    "conserved(d) and adds_up(d) and {'', 'open', 'open > x', 'open > x > y', 'open > y'} <= paths(d) and any(n['kind'] == 'crossing_ranges' for n in d['notes'])")
row(4, "a range without kernels is a region with none", "rangefinder show --format json odd.sqlite",
    "region(d, 'open', 'empty')['kernel_count'] == 0 and region(d, 'open', 'empty')['total_ms'] == 0 and region(d, 'open', 'empty')['instances'] == 1")
row(4, "kernels of a graph belong to its launch", "rangefinder show --format json graph_node.ncu-rep",
    "region(d, 'replay')['kernel_count'] == 12")

# ---- 5. Rollup
row(5, "counters add: `exact`", f"{SHOW} report.format.metrics=all",
    "region(d, 'A')['inclusive']['metrics']['gpu__time_duration.sum']['how'] == 'exact' and region(d, 'A')['inclusive']['metrics']['gpu__time_duration.sum']['value'] == 109024")
row(5, "a percentage over kernels has its weight", "rangefinder show --format json multiproc.ncu-rep",
    "region(d, 'A')['inclusive']['metrics']['dram__throughput.avg.pct_of_peak_sustained_elapsed']['weight'] == 'gpu__time_duration.sum'")
row(5, "a throughput over kernels is a bound that says which",
    "rangefinder show --format json multiproc.ncu-rep",
    "region(d, 'A')['inclusive']['metrics']['sm__throughput.avg.pct_of_peak_sustained_elapsed']['bound'] == 'upper'")
row(5, "one range's own values are `measured`", "rangefinder show --format json range_ABprefill.ncu-rep",
    "region(d, 'A')['measured'][0]['metrics']['dram__bytes.sum']['how'] == 'measured'")
row(5, "every cell says how it was obtained", f"{SHOW} report.format.metrics=all",
    "{c['how'] for r in regions(d) for c in r['inclusive']['metrics'].values()} <= {'measured', 'exact', 'estimated', 'approx', 'bound', 'absent'}")
row(5, "absent is null with a reason, never 0", f"{SHOW} report.format.metrics=all",
    "all(c['value'] is None and c['reason'] for r in regions(d) for c in r['inclusive']['metrics'].values() if c['how'] == 'absent')")
row(5, "an estimate has its standard error", "rangefinder show --format json vision_sampled.rftrace.zst",
    "any(c['how'] == 'estimated' and c['standard_error'] >= 0 for r in regions(d) for c in r['inclusive']['metrics'].values())")
row(5, "the origin of a number", f"rangefinder show --explain A gpu__time_duration.sum {CAPTURE}",
    "'rule: sum' in out and 'result: 109024 ns, exact' in out")
later(5, "`profile` adds inputs that make a metric exact",
      "rangefinder profile pipeline.ncu.enable=true -- ./my_program", "needs a GPU and ncu: gpu.rollup_inputs")

# ---- 6. The run directory
row(6, "`hydra.run.dir` by default tmp/profile-output/<YYYYmmdd-HHMMSS>",
    "rangefinder profile pipeline.ncu.enable=true pipeline.trace.enable=false -- true > log 2>&1; ls tmp/profile-output",
    "len(out) == 16 and out[:8].isdigit() and out[8] == '-' and out[9:15].isdigit()")
row(6, "the files of a run", f"{NCU} -- true",
    "exists(*('run/' + f for f in ('config.yaml', 'env.json', 'inputs.yaml', 'report.md', 'kernels.md', 'ncu/cmd.txt', 'ncu/manifest.json', 'ncu/run.ncu-rep', 'ncu/raw.csv', 'ncu/sections_report.txt', 'ncu/log.txt')))")
row(6, "the files of a region", f"{NCU} -- true",
    "files('run/ncu/regions/A__A1') == ['raw.csv', 'report.json', 'report.md', 'sections.txt']")
row(6, "discovery: one trace file per process",
    "rangefinder discover hydra.run.dir=run pipeline.trace.mode=regions -- sh -c 'inject_ranges nested 1; inject_ranges nested 1'",
    "sum('.rftrace' in f for f in files('run/trace')) == 2")
row(6, "raw.csv: its columns", f"rangefinder show --format csv {CAPTURE} | head -1",
    "out.startswith('id,kind,process_id,process,device,context,stream,thread,kernel_name,region,grid,block,')")
row(6, "raw.csv: the path as a JSON array", f"rangefinder show --format csv {CAPTURE}",
    "json.loads(rows(out)[4]['region']) == ['A', 'A::A1']")
row(6, "raw.csv: quoted by RFC 4180", f"rangefinder show --format csv {CAPTURE}",
    "'\"[\"\"A\"\",\"\"A::A1\"\"]\"' in out or '\"[\"\"A\"\", \"\"A::A1\"\"]\"' in out")
row(6, "raw.csv: a row a measurement, in file order", f"rangefinder show --format csv {CAPTURE}",
    "[r['id'] for r in rows(out)] == [str(i) for i in range(28)]")
row(6, "raw.csv: base units at full precision", f"rangefinder show --format csv {CAPTURE}",
    "sum(float(r['gpu__time_duration.sum']) for r in rows(out) if r['region'].startswith('[\"A\"')) == 109024")
row(6, "`A::A1` becomes `A__A1`, the name stays in the report", f"rangefinder report {CAPTURE} hydra.run.dir=out",
    "load('out/ncu/regions/A__A1/report.json')['scopes'][0]['regions'][0]['name'] == 'A::A1'")
row(6, "report.md begins with `# NCU Region Reports`", f"rangefinder report {CAPTURE} hydra.run.dir=out",
    "text('out/ncu/regions/report.md').startswith('# NCU Region Reports\\n')")
row(6, "again from the artifacts, byte for byte",
    f"{NCU} -- true > log 2>&1; cp -r run first; sleep 1; rangefinder report run > log 2>&1; diff -r first run && echo same",
    "out == 'same\\n'")
row(6, "the same from another folder and under another name",
    f"{NCU} -- true > log 2>&1; cp -r run first; mkdir deep; mv run deep/other; cd deep; sleep 1; rangefinder report other > log 2>&1; diff -r ../first other && echo same",
    "out == 'same\\n'")
row(6, "an interrupted run leaves what was captured, and `report` reads it",
    f"FAKE_NCU_DELAY=0.1 timeout --preserve-status -s INT 2 {NCU} -- sleep 0.1 > log 2>&1; echo $?; rangefinder report run > log2 2>&1; echo $?",
    "out == '130\\n0\\n' and exists('run/ncu/regions/report.json')")
row(6, "files are written beside and renamed: no temporary file stays",
    f"{NCU} -- true", "len(files('run')) > 50 and not any('.part' in f or '.tmp' in f for f in files('run'))")

# ---- 7. report.json
row(7, "the fields of the document", SHOW,
    "d['schema'] == 'rangefinder.report/2' and {'generated_at', 'config_fingerprint', 'capture', 'scopes', 'notes'} <= set(d) and len(d['config_fingerprint']) == 64")
row(7, "`capture`", SHOW,
    "d['capture']['mode'] == 'kernel' and d['capture']['clock_control'] == 'none' and d['capture']['cache_control'] == 'all' and d['capture']['tools'] and d['capture']['command']")
row(7, "a scope: `scope`, `process`, `device`, `totals`, `regions`", SHOW,
    "{'scope', 'process', 'device', 'totals', 'regions'} <= set(d['scopes'][0]) and d['scopes'][0]['totals']['kernel_count'] == 28 and d['scopes'][0]['totals']['gpu_time_ns'] > 0 and 'metrics' in d['scopes'][0]['totals']")
row(7, "scopes: the aggregate, then processes in order",
    "rangefinder show --format json multiproc.ncu-rep",
    "[s['scope'] for s in d['scopes']] == ['aggregate', 'process:494/device:0', 'process:495/device:0']")
row(7, "`process` and `device` of the aggregate are null, of others numbers",
    "rangefinder show --format json multiproc.ncu-rep",
    "d['scopes'][0]['process'] is None and d['scopes'][1]['process'] == 494 and d['scopes'][1]['device'] == 'cuda:0'")
row(7, "the fields of a region", SHOW,
    "{'id', 'parent_id', 'name', 'domain', 'path', 'parent', 'depth', 'kind', 'instances', 'inclusive', 'exclusive', 'measured', 'kernels', 'sections', 'findings', 'selection', 'total_ms', 'kernel_count', 'metrics'} <= set(region(d, 'A'))")
row(7, "`parent` by name, `depth` 0 at the root", SHOW,
    "region(d, 'A', 'A::A1')['parent'] == 'A' and region(d, 'A', 'A::A1')['depth'] == 1 and region(d, 'A')['depth'] == 0 and region(d, 'A')['parent'] is None")
row(7, "`inclusive`, `exclusive`: counts and times", SHOW,
    "region(d, 'A')['inclusive']['kernel_count'] == 6 and region(d, 'A')['exclusive']['kernel_count'] == 3 and region(d, 'A')['inclusive']['gpu_time_ns'] == 109024")
row(7, "a frame of a named domain is `domain@name`", SHOW,
    "region(d, 'LLM@prefill')['name'] == 'prefill' and region(d, 'LLM@prefill')['domain'] == 'LLM'")
row(7, "the fields of a kernel", SHOW,
    "all({'kernel_name', 'calls', 'total_ms', 'mean_ms', 'min_ms', 'max_ms', 'device', 'metrics'} <= set(k) for r in regions(d) for k in r['kernels'])")
row(7, "`kernel_name` is the demangled name as stored", SHOW,
    "region(d, 'A', 'A::A1')['kernels'][0]['kernel_name'] == 'stencil(int, const float *, float *)' and region(d, 'A', 'A::A1')['kernels'][0]['device'] == 'cuda:0'")
row(7, "`total_ms`, `kernel_count` are plain numbers", SHOW,
    "all(isinstance(r['total_ms'], float) and isinstance(r['kernel_count'], int) for r in regions(d)) and abs(region(d, 'A')['total_ms'] - 0.109024) < 1e-9")
row(7, "`selection` has the patterns", f"{SHOW} 'regions.include=[\"LLM@*\"]' 'regions.exclude=[decode_1]'",
    "region(d, 'LLM@prefill')['selection'] == {'include_patterns': ['LLM@*'], 'exclude_patterns': ['decode_1']}")
row(7, "`sections` of a region", "rangefinder show --format json nested_full_A.ncu-repz",
    "'SpeedOfLight' in region(d, 'A')['sections'] and region(d, 'A')['findings'] is not None")
row(7, "`*_path` of the files of a region", f"rangefinder report {CAPTURE} hydra.run.dir=out",
    "any(k.endswith('_path') for k in region(load('out/ncu/regions/report.json'), 'A'))")
row(7, "`gpu_time_ns` of a trace: the traced durations", "rangefinder show --format json steps.sqlite",
    "d['scopes'][0]['totals']['gpu_time_ns'] == 400")
row(7, "keeps its JSON Schema: kernels, ranges, graphs, traces, exports",
    "for f in multiproc.ncu-rep range_ABprefill.ncu-rep graph_graph.ncu-rep nccl_rank0.rftrace.zst steps.sqlite; do "
    "rangefinder show --format json $f > $f.json; done; rangefinder diff --format json graph_node.ncu-rep graph_node.ncu-rep > diff.json; validate_report *.json",
    "'6 documents, 0 violations' in out")

# ---- 8. Backends
row(8, "`ncu`: range replay", f"{NCU} pipeline.ncu.ncu_cli.replay_mode=range {INCLUDE}=A -- true",
    "load('run/ncu/regions/report.json')['capture']['mode'] == 'range'")
row(8, "`ncu`: app-range replay", f"{NCU} pipeline.ncu.ncu_cli.replay_mode=app-range {INCLUDE}=prefill -- true",
    "load('run/ncu/regions/report.json')['capture']['mode'] == 'app-range'")
row(8, "`trace`: NVTX without GPU, driver, CUPTI",
    "rangefinder discover hydra.run.dir=run pipeline.trace.mode=regions -- inject_ranges nested 3",
    "region(load('run/ncu/regions/report.json'), 'A')['instances'] == 3")
row(8, "`nsys`: runs it and reads its export", f"{PROFILE} pipeline.nsys.enable=true -- true",
    "{'A', 'A > A::A1', 'LLM@decode'} <= paths(load('run/ncu/regions/report.json'))")
later(8, "`counters`, mode `sample`", "rangefinder profile -- ./my_program", "needs a GPU: gpu.estimates")
later(8, "`counters`, mode `count`", "rangefinder profile pipeline.counters.mode=count -- ./my_program",
      "needs a GPU: gpu.count_profile")
later(8, "several GPUs", "torchrun --nproc-per-node 2 --no-python rangefinder profile -- python3 train.py",
      "needs two GPUs: gpu.torchrun_nccl")

# ---- 10. Answers
row(10, "the first sentence names region and cause", f"rangefinder show {CAPTURE}",
    "out.startswith('B: compute-bound, 84 % of peak')")
row(10, "the first sentence of a sampled run", "rangefinder show --format json vision_sampled.rftrace.zst",
    "d['headlines'][0]['text'].startswith('network: ') or d['headlines'][0]['text'].startswith('batch')")
row(10, "causes are ranked by what removing them would save", f"rangefinder show --format json {CAPTURE}",
    "[h['saves_ns'] for h in d['headlines']] == sorted((h['saves_ns'] for h in d['headlines']), reverse=True) and len(d['headlines']) == 3")
row(10, "regions are ordered by wall time", "rangefinder show wide.sqlite --format json",
    "regions(d)[0]['path'] == ['outer']")
row(10, "warm-up is apart", "rangefinder show --format json vision_sampled.rftrace.zst",
    "any('warm-up' in h['text'] for h in d['headlines'])")
row(10, "a selection of instances applies to all that is shown",
    "rangefinder show --format json steps.sqlite regions.instances.skip=1",
    "region(d, 'step_*')['instances'] == 3 and region(d, 'step_*')['kernel_count'] == 3 and d['scopes'][0]['totals']['kernel_count'] == 3")
row(10, "a selection of regions applies to totals", f"{SHOW} 'regions.include=[B]'",
    "d['scopes'][0]['totals']['kernel_count'] == 2")
row(10, "a selection of kernels applies to totals", f"{SHOW} 'regions.kernels.include=[\"burn*\"]'",
    "d['scopes'][0]['totals']['kernel_count'] == 8")
row(10, "intervals too wide for a statement are a question", "rangefinder explain multiproc.ncu-rep",
    "'B: perhaps compute-bound' in out and 'next:' in out")
later(10, "planted causes: named first in 95 %", "tests/exam/run.sh FOLDER", "needs a GPU; recorded traces: cli.exam_is_graded")

# ---- 11. Trust
row(11, "a truncated file: the results before the damage, and a note",
    f"head -c 700000 {CAPTURE} > half.ncu-rep; rangefinder show --format json half.ncu-rep",
    "0 < d['scopes'][0]['totals']['kernel_count'] < 28 and 'truncated' in json.dumps(d['notes'])")
row(11, "a truncated trace", "head -c 15000 nccl_rank0.rftrace.zst > half.rftrace.zst; rangefinder show --format json half.rftrace.zst",
    "d['notes'] and conserved(d)")
row(11, "status 5 where nothing is left", f"head -c 700 {CAPTURE} > none.ncu-rep; rangefinder show none.ncu-rep",
    "'none.ncu-rep' in err", 5)
row(11, "status 5: an empty file", ": > empty.ncu-rep; rangefinder show empty.ncu-rep", "'empty' in err", 5)
row(11, "status 5: a broken zstd stream", "echo no > a.ncu-repz; rangefinder show a.ncu-repz", "'a.ncu-repz' in err", 5)
row(11, "a flipped byte never crashes",
    f"for at in 20 400 4000 40000 400000; do cp {CAPTURE} a.ncu-rep; chmod 644 a.ncu-rep; printf '\\377' | dd of=a.ncu-rep bs=1 seek=$at conv=notrunc status=none; rangefinder show a.ncu-rep > log 2>&1; echo $?; grep -q -e aggregate -e rangefinder: log || echo silent; done",
    "set(out.split()) <= {'0', '5', '6'}")
row(11, "hostile names stay text in JSON", "rangefinder show --format json hostile.sqlite",
    "region(d, HOSTILE)['name'] == HOSTILE")
row(11, "hostile names stay text in Markdown", "rangefinder show --format md hostile.sqlite",
    "'script' in out and '</script>' not in out and '<b>' not in out")
row(11, "hostile names stay text in HTML", "rangefinder report hostile.sqlite hydra.run.dir=out",
    "'</script><b>' not in text('out/ncu/regions/report.html')")
row(11, "hostile names stay text in CSV", "rangefinder show --format csv hostile.sqlite",
    "len(rows(out)) == 2 and not any(v.startswith(('=', '+', '@')) for r in rows(out) for v in r.values())")
row(11, "hostile names stay inside the directory", "rangefinder report hostile.sqlite hydra.run.dir=deep/er/out report.max_folders=50",
    "len(files()) > 5 and all(f.startswith('deep/er/out/') and '..' not in f.split('/') for f in files())")
row(11, "no control or bidirectional characters on the terminal",
    "rangefinder show hostile.sqlite; rangefinder show odd.sqlite",
    "'bidi' in out and not any(ord(c) < 32 and c != '\\n' or c == BIDI[0] for c in out)")
row(11, "nor in Markdown and CSV", "rangefinder show --format md odd.sqlite; rangefinder show --format csv odd.sqlite",
    "out.count('bidi') > 1 and '\\x1b' not in out and BIDI[0] not in out")
row(11, "long names make valid file names", "rangefinder report wide.sqlite hydra.run.dir=out report.max_folders=50",
    "all(len(part) <= 255 for f in files('out') for part in f.split('/')) and len(files('out/ncu/regions')) > 3")
INJECT = ("export NVTX_INJECTION64_PATH=$RANGEFINDER_INJECT_LIBRARY "
          "RANGEFINDER_INJECT_MODE=regions RANGEFINDER_INJECT_DIR")
row(11, "the injection library writes nothing to the program's output",
    f"mkdir t; {INJECT}=$PWD/t; inject_ranges nested 1; echo done",
    "out == 'done\\n' and err == '' and len(files('t')) == 1")
row(11, "the program's exit status is not changed",
    f"mkdir t; {INJECT}=$PWD/t; inject_ranges nested 1; sh -c 'inject_ranges nested 1; exit 9'",
    "len(files('t')) == 2", 9)
row(11, "an injection library that cannot write lets the program run",
    f"{INJECT}=/proc/none; inject_ranges nested 1; echo $?", "out == '0\\n'")
row(11, "without CUPTI it records the ranges",
    f"mkdir t; {INJECT}=$PWD/t RANGEFINDER_INJECT_MODE=trace RANGEFINDER_CUPTI_PATH=/none; inject_ranges nested 1; rangefinder show --format json t",
    "{'A', 'A > A::A1', 'B'} < paths(d)")
