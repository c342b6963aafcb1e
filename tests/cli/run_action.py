"""Runs the shell steps of a composite action as GitHub's runner does:

    run_action.py ACTION INPUT=VALUE...

GH_NUMBER is the number of the pull request. Prints the log, and to the file
OBEYED the workflow commands that a runner would obey. Ends with the status of the
first step that fails.
"""
import os
import re
import subprocess
import sys
import tempfile

import yaml


def commands(log):
    """The lines that a runner takes for commands."""
    stopped = None
    for line in log.splitlines():
        line = line.strip()
        found = re.match(r"::([\w-]*)[^:]*::(.*)|##\[([\w-]*)", line)
        if stopped:
            if line == f"::{stopped}::":
                stopped = None
        elif found and found[1] == "stop-commands":
            stopped = found[2]
        elif found:
            yield line


class Runner:
    def __init__(self, action, given):
        self.values = {f"inputs.{name}": str(spec.get("default", ""))
                       for name, spec in action["inputs"].items()}
        for word in given:
            name, _, value = word.partition("=")
            if f"inputs.{name}" not in self.values:
                raise SystemExit(f"no input {name}")
            self.values[f"inputs.{name}"] = value
        self.values |= {"github.token": "secret", "github.repository": "a/b",
                        "github.job": "job", "github.event.pull_request.number":
                        os.environ.get("GH_NUMBER", "")}
        self.log = ""
        self.status = 0

    def text(self, text):
        """With the values of its expressions; a step that did not run has no
        outputs."""
        return re.sub(r"\$\{\{ *(.+?) *\}\}", lambda found: self.text(
            self.values[found[1]] if not found[1].startswith("steps.")
            else self.values.get(found[1], "")), str(text))

    def holds(self, condition):
        """`A && B` of: a value, a comparison with a text, always()."""
        for part in condition.split(" && "):
            compared = re.fullmatch(r"(\S+) (==|!=) '(.*)'", part)
            if compared:
                same = self.values[compared[1]] == compared[3]
                if same != (compared[2] == "=="):
                    return False
            elif part != "always()" and not self.text("${{ %s }}" % part):
                return False
        return True

    def step(self, step):
        condition = step.get("if", "")
        if (self.status and "always()" not in condition or
                condition and not self.holds(condition)):
            return
        if "uses" in step:
            self.log += f"uses {step['uses']}\n"
            return
        if "${{" in step["run"]:
            raise SystemExit(f"{step['name']}: an expression in a script")
        with tempfile.TemporaryDirectory() as folder:
            script, output, summary = (
                os.path.join(folder, name) for name in ("step.sh", "out", "summary"))
            with open(script, "w", encoding="utf-8") as file:
                file.write(step["run"])
            open(output, "w", encoding="utf-8").close()
            done = subprocess.run(
                ["bash", "--noprofile", "--norc", "-eo", "pipefail", script],
                env={**os.environ, "GITHUB_OUTPUT": output,
                     "GITHUB_STEP_SUMMARY": summary, "GITHUB_WORKFLOW": "ci $(x)",
                     "GITHUB_JOB": "job",
                     **{name: self.text(value)
                        for name, value in step.get("env", {}).items()}},
                stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT, check=False)
            self.log += done.stdout.decode("utf-8", "replace")
            self.status = self.status or done.returncode
            with open(output, encoding="utf-8") as file:
                for line in file.read().splitlines():
                    name, _, value = line.partition("=")
                    self.values[f"steps.{step['id']}.outputs.{name}"] = value


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        action = yaml.safe_load(file)
    runner = Runner(action, sys.argv[2:])
    for step in action["runs"]["steps"]:
        runner.step(step)
    sys.stdout.write(runner.log)
    with open("OBEYED", "w", encoding="utf-8") as file:
        file.writelines(line + "\n" for line in commands(runner.log))
    return runner.status


if __name__ == "__main__":
    sys.exit(main())
