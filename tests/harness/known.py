"""What the library cannot do: families of cases that are left out, each with
its reason. The harness prints how many it left out of each."""

from description import walk


def has(*names):
    return lambda case: any(
        action.name in names for action, _ in walk(case.program))


def jumps_out_of_faults(case):
    faults = {4, 5, 7, 8, 11, 31}  # SIGILL, SIGTRAP, SIGBUS, SIGFPE, ...
    return any(
        action.name == "on" and action.numbers[0] in faults and
        any(inner.name == "jump" for inner, _ in walk(action.block or ()))
        for action, _ in walk(case.program))


# (which cases, why).
KNOWN = [
    (jumps_out_of_faults,
     "a fault's signal, which nobody may block, is sent by another thread, and "
     "its handler jumps out of a call of ours: cancellation stays off"),
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
