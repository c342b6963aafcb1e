"""What the library cannot do: families of cases that are left out, each with
its reason. The harness prints how many it left out of each."""

import dataclasses

from description import walk


def has(*names):
    return lambda case: any(
        action.name in names for action, _ in walk(case.program))


FAULTS = {4, 5, 7, 8, 11, 31}  # SIGILL, SIGTRAP, SIGBUS, SIGFPE, ...


def jumps_out_of_faults(case):
    return any(
        action.name == "on" and action.numbers[0] in FAULTS and
        any(inner.name == "jump" for inner, _ in walk(action.block or ()))
        for action, _ in walk(case.program))


def ends_in_a_fault_while_counting(case):
    return case.mode == "count" and any(
        action.name == "pest" and action.numbers[0] in FAULTS and
        any(handler.name == "on" and handler.numbers[0] in FAULTS and
            has("exit")(dataclasses.replace(case, program=handler.block))
            for handler, _ in walk(case.program))
        for action, _ in walk(case.program))


FORKS = {"fork", "forks", "daemon", "_Fork", "clone"}


def plugs_beside_forks(case):
    """A thread loads and unloads plugins while another one forks."""
    names = [(action.name, above) for action, above in walk(case.program)]
    forks = [above for name, above in names if name in FORKS]
    return any(
        name == "plugin" and
        ("background" in above and forks or
         "threads" in above and any("threads" in other for other in forks))
        for name, above in names)


# (which cases, why).
KNOWN = [
    (plugs_beside_forks,
     "fork() of the C library leaves the lock of exit()'s handlers to the child "
     "as a dlclose() of another thread holds it, without the library as well: "
     "the child's exit() waits for ever"),
    (jumps_out_of_faults,
     "a fault's signal, which nobody may block, is sent by another thread, and "
     "its handler jumps out of a call of ours: cancellation stays off"),
    (ends_in_a_fault_while_counting,
     "a fault's signal, which nobody may block, is sent by another thread, and "
     "its handler calls exit() inside a call of CUPTI's: the profiler, whose "
     "locks that call holds, cannot be disabled"),
    (has("truncate"),
     "a trace that somebody else cuts while it is mapped ends the program"),
    (lambda case: case.build == "static" and has("threadvalue", "jump")(case),
     "a static program has two C libraries, and ours does not know of the "
     "jumps of its handlers and the values of its threads"),
    (lambda case: case.build == "static" and has("background")(case),
     "a static program's fork() does not wait until its other threads have no "
     "file of ours open"),
]
def execs_under_faults(case):
    return has("exec")(case) and any(
        action.name == "pest" and action.numbers[0] in (7, 11)
        for action, _ in walk(case.program))


# Under qemu-user, which says of madvise(MADV_WIPEONFORK) that it worked, and
# does nothing.
EMULATED = [
    (execs_under_faults,
     "qemu-user leaves SIGSEGV and SIGBUS unblocked for itself, so that one that "
     "another thread sends in the handler ends the program after exec"),
    (has("clone", "_Fork"),
     "a child of a fork without handlers keeps what the kernel clears"),
    (has("filesize"),
     "qemu-user writes a file when a program opens one of /proc/self"),
]


# Of programs in which windows open.
ARMED = [
    (has("state", "next"),
     "the file of a window, which a thread of ours makes, has the lowest "
     "descriptor for a moment"),
    (lambda case: has("addresses")(case) and has("exitelsewhere")(case),
     "a window that closes gives address space back, in which a thread then has "
     "room"),
]


def reason(case, emulated, armed):
    families = KNOWN + EMULATED * emulated + ARMED * armed
    return next((why for applies, why in families if applies(case)), None)
