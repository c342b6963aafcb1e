"""The program's commands, flags and configuration keys as it knows them itself,
and whether inline code and the tables of docs/configuration.md say the same.
"""
import json
import re
import shlex

# Keys of the composed tree that the tables do not list, and why.
NOT_LISTED = {
    "model.": "the bundled example's shape; its presets are listed",
    "infer.": "the bundled example's run; its presets are listed",
    "derived": "a formula each: docs/rollup.md",
    "rollup": "a rule each: docs/rollup.md",
    "causes": "a cause each: docs/causes.md",
    "frameworks": "names of ranges each: docs/frameworks.md",
    "pipeline.counters.sets.": "sets of counters by families of chips",
    "diff.gate.metrics": "a metric each: docs/diff.md",
    "diff.gate.regions": "a region each: docs/diff.md",
}
# Listed keys that the tree has only where a preset brings them.
OF_PRESETS = {"pipeline.nsys.description", "pipeline.counters.sets"}
# Options of ncu that are set unless told otherwise: the page says so as NAME=VALUE.
SET_OPTIONS = {"target_processes", "kernel_name_base", "force_overwrite"}
# Inline code of the form name=value that is no key of the configuration.
NO_KEYS = {
    "NVreg_RestrictProfilingToAdminUsers": "a parameter of the driver",
    "pausable": "of RANGEFINDER_INJECT_TUNE",
    "key": "a placeholder", "KEY": "a placeholder", "a": "a placeholder",
    "group": "a placeholder", "group@package": "a placeholder",
}
# Values in inline code that stand for the reader's own, or are cut.
PLACEHOLDER = re.compile(r"…|\b(FILE|DIR|FOLDER|KEY|VALUE|NAME|THIS|PATH|OUT|N)\b|"
                         r"\bmine\b|\$PWD|<")
FILES = (".md", ".json", ".html", ".csv", ".py", ".yaml")


def flatten(node, prefix=""):
    if isinstance(node, dict) and node:
        for name, value in node.items():
            yield from flatten(value, f"{prefix}{name}.")
    else:
        yield prefix[:-1], node


def as_text(value):
    """As the tables write a default."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return "[" + ", ".join(as_text(item) for item in value) + "]"
    return str(value)


class Keys:
    def __init__(self, place):
        self.place = place
        self.known = {}  # overrides that were tried: what is wrong with them
        about = self._print("--help")
        self.commands = {}
        listed = re.search(r"(?im)^(?:subcommands|commands):\s*$(.*)", about,
                           re.S)
        for name in re.findall(r"(?m)^ +([a-z]+)(?= {2,}|$)",
                               listed[1] if listed else ""):
            self.commands[name] = self._flags(self._print(f"{name} --help"))
        self.flags = self._flags(about)
        tree = json.loads(self._print("config --hydra --format json"))
        self.values = dict(flatten(tree))
        self.prefixes = {name[:at] for name in (*self.values, *OF_PRESETS)
                         for at in range(len(name) + 1)
                         if at == len(name) or name[at] == "."}

    def _print(self, words):
        status, output = self.place.run(self.place.template,
                                        f"rangefinder {words}")
        if status:
            raise SystemExit(f"rangefinder {words}: status {status}\n{output}")
        return output

    @staticmethod
    def _flags(text):
        return set(re.findall(r"(?<![\w-])(--?[a-zA-Z][\w-]*)", text))

    # ---- Commands ------------------------------------------------------------

    def words(self, words):
        """What is wrong with a command in which rangefinder stands."""
        words = words[words.index("rangefinder") + 1:]
        if "--" in words:
            words = words[:words.index("--")]
        if not words:
            return ""
        command, *rest = words
        flags = self.flags
        if not command.startswith("-"):
            if command == "COMMAND":
                return ""
            if command not in self.commands:
                return f"no command {command}"
            flags = self.commands[command] | {"--help"}
        else:
            rest = words
        for word in rest:
            if word.startswith("-") and word.split("=")[0] not in flags:
                return f"rangefinder {command} has no {word}"
            if re.match(r"[+~]*[a-z][\w./@]*=", word):
                problem = self.override(word)
                if problem:
                    return problem
        return ""

    def override(self, word):
        """What is wrong with KEY=VALUE; a placeholder's key must exist."""
        # Names that Hydra's grammar cannot write: diff takes them itself.
        if word.startswith(("diff.gate.metrics.", "diff.gate.regions.")):
            return None
        if word in self.known:
            return self.known[word]
        key, _, value = word.lstrip("+~").partition("=")
        problem = ""
        if PLACEHOLDER.search(value):
            if "@" not in key and not word.startswith("+") and (
                    key not in self.prefixes):
                problem = f"no key {key}"
        else:
            # `show` reads every key's value, as each command does.
            status, output = self.place.run(
                self.place.template, "rangefinder show --format csv "
                f"nested_basic.ncu-rep {shlex.quote(word)}")
            if status:
                found = re.search(r"(?m)^rangefinder: .*", output)
                problem = f"{word}: {found[0] if found else output}"
        self.known[word] = problem
        return problem

    # ---- Inline code -----------------------------------------------------------

    def span(self, page, line, span, findings):
        problem = ""
        if span.startswith("rangefinder "):
            findings.count("inline commands")
            try:
                words = shlex.split(span.replace("[OVERRIDE…]", ""))
            except ValueError as error:
                words, problem = ["rangefinder"], str(error)
            # A synopsis: [KEY=VALUE…], PATH…
            words = [word for word in words
                     if not re.fullmatch(r"\[?[A-Z=]+…?\]?", word) or
                     word == "COMMAND"]
            problem = problem or self.words(
                [re.sub(r"\|.*", "", word) if "|" in word else word
                 for word in words])
        elif re.fullmatch(r"[+~]*[A-Za-z][\w./@]*=\S.*", span) or re.fullmatch(
                r"['\"][+~]*[a-z][\w./@]*=.*['\"]", span):
            problem = self.assignment(span, findings)
        elif re.fullmatch(r"(pipeline|regions|report|hydra)\.[\w.*]+", span):
            name = re.sub(r"\.?\*$", "", span)
            if name not in self.prefixes and not span.endswith(FILES):
                problem = f"no key {span}"
            findings.count("inline keys")
        if problem:
            findings.error(page.name, line, problem)

    def assignment(self, span, findings):
        try:
            words = shlex.split(span)
        except ValueError as error:
            return str(error)
        for word in words:
            key = word.lstrip("+~").partition("=")[0]
            if key in NO_KEYS or key.isupper() or re.match(r"[A-Z_]+$", key):
                continue
            findings.count("inline keys")
            whole = [word]
            if not ("@" in key or key in self.prefixes or word[0] in "+~"):
                # `replay_mode=range`: the end of a key.
                whole = [name + word[len(key):] for name in sorted(self.prefixes)
                         if name.endswith("." + key)]
            problems = [self.override(name) for name in whole]
            if not problems:
                return f"no key ends with {key}"
            if all(problems):
                return problems[0]
        return ""

    # ---- docs/configuration.md -------------------------------------------------

    def tables(self, page, findings):
        listed = {}  # key: (line, default or None where the table has none)
        group = None
        for line, text in enumerate(page.lines, 1):
            if text.startswith("#"):
                group = text.strip("# ")
            row = re.match(r"\| `([^`]+)` \| (.*)", text)
            if not row or group not in ("All keys", "Options of ncu"):
                continue
            if group == "All keys":
                default = row[2].split(" | ")[1].strip().strip("`")
                listed[row[1]] = line, default
            else:
                listed["pipeline.ncu.ncu_cli." + row[1]] = line, None
        for key, (line, default) in listed.items():
            findings.count("keys")
            value = self.values.get(key)
            name = key.rpartition(".")[2]
            if key not in self.values and key not in OF_PRESETS:
                findings.error(page.name, line, f"not composed: {key}")
            elif key in OF_PRESETS:
                continue
            elif default is None and name in SET_OPTIONS:
                said = f"{name}={as_text(value)}"
                if said not in [span for _, span in page.spans()]:
                    findings.error(page.name, line, f"does not say {said}")
            elif default is None and value is not None:
                findings.error(page.name, line, f"{key} is set by default")
            elif default is not None and as_text(value) != (default or "null"):
                findings.error(page.name, line, f"the default of {key} is "
                               f"{as_text(value)}, not {default}")
        for key in self.values:
            if (key not in listed and not key.startswith(tuple(NOT_LISTED)) and
                    not key.startswith("hydra.")):
                findings.error(page.name, 1, f"a key that is not listed: {key}")
