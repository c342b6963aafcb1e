"""The text of a case: `MODE FOLDER [BUILD] | ACTION ACTION ...`, and an ACTION
is `name:number:number{ACTION ...}`."""

import dataclasses
import re


@dataclasses.dataclass(frozen=True)
class Action:
    name: str
    numbers: tuple = ()
    block: tuple = None  # of actions; None: it has none

    def __str__(self):
        text = ":".join([self.name, *map(str, self.numbers)])
        return text if self.block is None else f"{text}{{{write(self.block)}}}"


@dataclasses.dataclass(frozen=True)
class Case:
    mode: str
    folder: str
    program: tuple
    build: str = ""  # static, tsan

    def __str__(self):
        head = " ".join(filter(None, (self.mode, self.folder, self.build)))
        return f"{head} | {write(self.program)}"


def write(block):
    return " ".join(map(str, block))


def read_block(text, at):
    block = []
    while at < len(text) and text[at] != "}":
        if text[at] == " ":
            at += 1
            continue
        match = re.compile(r"([A-Za-z_0-9]+)((?::-?\d+)*)").match(text, at)
        if not match:
            raise SystemExit(f"no action at {text[at:]!r}")
        at = match.end()
        numbers = tuple(int(n) for n in match[2].split(":")[1:])
        inner = None
        if at < len(text) and text[at] == "{":
            inner, at = read_block(text, at + 1)
            at += 1
        block.append(Action(match[1], numbers, inner))
    return tuple(block), at


def read_case(text):
    head, _, program = text.partition("|")
    mode, folder, *build = head.split()
    return Case(mode, folder, read_block(program, 0)[0], *build)


def walk(block, above=()):
    """Every action of a block and of those inside, with the names around it."""
    for action in block:
        yield action, above
        if action.block is not None:
            yield from walk(action.block, above + (action.name,))


def smaller(block):
    """Blocks with one action less, or with an action's block in its place, or
    with smaller numbers; the greatest steps first."""
    for i, action in enumerate(block):
        before, after = block[:i], block[i + 1:]
        yield before + after
        if action.block:
            yield before + action.block + after
    for i, action in enumerate(block):
        before, after = block[:i], block[i + 1:]
        for inner in smaller(action.block or ()):
            yield before + (dataclasses.replace(action, block=inner),) + after
        for k, number in enumerate(action.numbers):
            if number > 1 and action.name not in fixed:
                numbers = list(action.numbers)
                numbers[k] = number // 2
                yield before + (
                    dataclasses.replace(action, numbers=tuple(numbers)),) + after


# Their numbers are no amounts.
fixed = {"on", "pest", "kill", "raise", "exec", "exit", "_exit", "quick",
         "exitelsewhere", "ended", "killed", "close", "sandbox", "state", "cleanup", "timer",
         "altstack", "small", "ignore"}
