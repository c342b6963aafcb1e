"""What the library cannot do: families of cases that are left out, each with
its reason. The harness prints how many it left out of each."""

from description import walk


def has(*names):
    return lambda case: any(
        action.name in names for action, _ in walk(case.program))


# (which cases, why).
KNOWN = [
    (has("truncate"),
     "a trace that somebody else cuts while it is mapped ends the program"),
    (lambda case: case.build == "static" and has("threadvalue", "jump")(case),
     "a static program has two C libraries, and ours does not know of the "
     "jumps of its handlers and the values of its threads"),
    (lambda case: case.build == "static" and has("background")(case),
     "a static program's fork() does not wait until its other threads have no "
     "file of ours open"),
]


def reason(case):
    return next((why for applies, why in KNOWN if applies(case)), None)
