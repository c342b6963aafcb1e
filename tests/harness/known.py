"""What the library cannot do yet: families of cases that are left out, each
with its reason. The harness prints how many it left out of each."""

# (name, what it applies to, reason): `applies(case, names)`, with the names of
# the case's actions.
KNOWN = []


def reason(case, names):
    for name, applies, _ in KNOWN:
        if applies(case, names):
            return name
    return None
