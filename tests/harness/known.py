"""What the library cannot do yet: families of cases that are left out, each
with its reason. The harness prints how many it left out of each."""

from description import walk


def has(*names):
    return lambda case: any(
        action.name in names for action, _ in walk(case.program))


def inside(around, *names):
    return lambda case: any(action.name in names and around in above
                            for action, above in walk(case.program))


# (which cases, why).
KNOWN = [
    (has("cancelself", "cancel", "cancelanywhere", "cleanup"),
     "cancellation inside the library ends the program"),
    (lambda case: case.build == "static" and has("fork", "forks", "daemon")(
        case), "children of static programs share our file"),
    (has("addresses"), "without memory events are lost in silence"),
    (has("_Fork", "clone"), "children without fork handlers share our file"),
    (inside("on", "forks", "exit", "quick"),
     "handlers that fork or exit wait for our lock"),
    (lambda case: has("background")(case) and has("fork", "forks", "daemon")(
        case), "children forked beside threads that record crash"),
    (lambda case: "sandbox:0" in str(case),
     "a sandbox that forbids fallocate() kills"),
    (lambda case: case.folder == "ramfs" and has("filesize")(case),
     "files that are written, not mapped, grow beyond the limit"),
    (has("truncate"), "a trace that somebody else cuts is mapped memory"),
    (has("jump"), "who jumps out of a call keeps our lock"),
]


def reason(case):
    return next((why for applies, why in KNOWN if applies(case)), None)
