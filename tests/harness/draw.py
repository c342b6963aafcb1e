"""Draws cases. What a drawn program says must be the same in every run of it
without the library; the comments say which rules keep it so."""

from description import Action, Case

SIGNALS = (10, 14, 27, 11, 23)  # USR1, ALRM, PROF, SEGV, URG


def act(name, *numbers, block=None):
    return Action(name, numbers, None if block is None else tuple(block))


class Draw:
    def __init__(self, random):
        self.random = random
        self.background = False  # threads that never end
        self.crowd = False  # in one thread of several
        self.gpu = False
        self.sampled = False
        self.counted = False
        self.limited = False  # something was taken that threads need
        self.unwaited = False  # children leave no status: SIGCHLD is ignored
        self.piped = False  # has a pipe that was made beside other threads
        self.depth = 0

    def chance(self, probability):
        return self.random.random() < probability

    def one_of(self, weighted):
        names = list(weighted)
        return self.random.choices(names, [weighted[n] for n in names])[0]

    # ---- Calls of NVTX

    def calls(self, most, kinds=None):
        name = self.one_of(kinds or {
            "pairs": 6, "fresh": 8, "nest": 2, "leak": 1, "pops": 1,
            "startend": 3, "starts": 1, "ends": 1, "marks": 2, "domains": 3,
            "naming": 2, "attributes": 2, "long": 0.3, "plugin": 0 if self.limited else 1})
        return act(name, self.random.randint(1, most))

    def some_calls(self, most, count=3, kinds=None):
        return [self.calls(most, kinds)
                for _ in range(self.random.randint(1, count))]

    # In handlers, and in children whose C library does not know of them.
    simple = {"pairs": 3, "fresh": 4, "marks": 1, "startend": 2, "leak": 1,
              "pops": 1}

    def few_calls(self):
        return self.some_calls(3, 2, self.simple)

    # ---- Ends

    def end(self, threads=True):
        """How a process ends; the last action of its block."""
        number = self.random.choice((0, 3, 77))
        name = self.one_of({
            "return": 3, "exit": 4, "_exit": 3, "exec": 2, "quick": 2, "abort": 1,
            "kill": 2, "exitelsewhere": 1 if threads else 0,
            # Threads that never end would go on without the first one.
            "leave": 1 if threads and not self.background else 0})
        if name == "return":
            return []
        if name == "exec":
            return self.exec()
        if name in ("ended", "killed"):
            # In the middle of what goes on.
            how = number if name == "ended" else self.random.choice((9, 15))
            return [act(name, how, self.random.choice((0, 100, 2000)),
                        block=self.some_calls(5, 2, self.simple))]
        if name == "kill":
            return [act("kill", self.random.choice((9, 15)))]
        return [act(name) if name in ("abort", "leave") else act(name, number)]

    def at_the_end(self):
        """Blocks that run when the process ends."""
        name = self.one_of({"atexit": 3, "atquick": 1, "atend": 2,
                            "threadvalue": 2, "threadobject": 2, "atfork": 2})
        block = self.few_calls()
        if name == "atexit" and self.chance(0.2):
            block += [act("_exit", 5)]
        return [act(name, block=block)]

    # ---- Threads

    def context(self):
        """Regions of a thread are counted where it uses a context."""
        return [act("context")] if self.counted and self.chance(0.5) else []

    def thread_block(self):
        block = self.context() + self.some_calls(60)
        if self.depth < 2 and self.chance(0.3):
            block += self.child()
        if self.chance(0.2):
            block.append(act(self.random.choice(("threadvalue",
                                                 "threadobject")),
                             block=self.few_calls()))
        if self.chance(0.1):
            block.append(act("leave"))
        return block

    def threads(self):
        name = self.one_of({"threads": 5, "small": 2, "cancelself": 3,
                            "cancel": 3, "cancelanywhere": 2, "cleanup": 2})
        if name == "threads":
            outer, self.crowd = self.crowd, True
            block = self.thread_block()
            self.crowd = outer
            return [act(name, self.random.randint(1, 4), block=block)]
        if name == "small":
            return [act(name, self.random.choice((24, 32, 64)),
                        block=self.few_calls())]
        if name == "cancelself":
            return [act(name, block=self.some_calls(60))]
        if name == "cleanup":
            return [act(name, self.random.randint(0, 1),
                        block=self.few_calls())]
        return [act(name, self.random.choice((0, 100, 1000, 3000)),
                    block=self.context() + self.some_calls(5, 2, self.simple))]

    # ---- Children

    def child_block(self):
        """Of a child that the C library made: it may do all that there is."""
        outer, self.background = self.background, False
        self.depth += 1
        block = []
        for _ in range(self.random.randint(1, 3)):
            block += self.step()
        block += self.end()
        self.depth -= 1
        self.background = outer
        return block

    def raw_block(self):
        block = self.few_calls()
        if self.chance(0.1):
            return block + self.exec()
        return block + [act("_exit", self.random.choice((0, 7)))]

    def program_block(self):
        return self.some_calls(20, 2) + [act("exit", self.random.choice((0, 4)))]

    def exec(self):
        return [act("exec", self.random.randint(0, 4),
                    block=self.program_block())]

    def child(self):
        name = self.one_of({"fork": 6, "_Fork": 2, "clone": 2, "forks": 2,
                            # Beside others it would inherit the pipes by which they wait.
            "daemon": 0 if self.crowd else 1, "vforkexec": 2, "spawn": 2,
                            "system": 1})
        if name in ("_Fork", "clone"):
            return [act(name, block=self.raw_block())]
        if name == "forks":
            return [act(name, self.random.choice((1, 3, 8, 50)),
                        block=self.few_calls() + [act("_exit", 0)])]
        if name in ("vforkexec", "spawn", "system"):
            way = [self.random.randint(0, 4)] if name == "vforkexec" else []
            return [act(name, *way, block=self.program_block())]
        outer = self.piped
        self.piped = outer or (name == "daemon" and self.background)
        block = self.child_block()
        self.piped = outer
        return [act(name, block=block)]

    # ---- Signals

    def interrupted(self, signal, flags, body):
        """The body, with a signal again and again. A timer's signal may go to
        any thread; a pest's goes to this one."""
        # Handlers that interrupt themselves need time to end.
        period = 500 if flags == 2 else self.random.choice((5, 20, 60))
        if signal in (14, 27) and not self.background and self.chance(0.7):
            return [act("timer", max(period, 50), int(signal == 27), block=body)]
        return [act("pest", signal, period, block=body)]

    def signals(self):
        """With a handler, which calls NVTX, forks, ends the program or jumps."""
        signal = self.random.choice(SIGNALS)
        block = self.few_calls() if self.chance(0.6) else []
        # A handler runs any number of times, and says each time that a child's
        # status is not there.
        what = self.one_of({"calls": 4, "forks": 0 if self.unwaited else 2,
                            "ends": 3, "jumps": 1, "execs": 1, "faults": 1})
        if what == "faults":
            end = self.random.choice(("exit", "_exit", "quick"))
            return [act("on", 11, self.random.choice((0, 1)),
                        block=block + [act(end, 6)])] + self.some_calls(
                            50) + [act("fault")]
        # They interrupt NVTX alone: such calls must not interrupt functions of
        # the C library.
        body = self.some_calls(10, 2, self.simple)
        nth = self.random.choice((1, 2, 5, 20))
        kind = "forever"
        if what == "calls":
            body = self.some_calls(300, 3)
        elif what == "forks":
            block.append(act("after", nth, block=[act(
                "forks", 1, block=self.few_calls() + [act("_exit", 0)])]))
            body = [act("pairs", 3000), act("fresh", 1000)]
        elif what == "jumps" and not self.background:
            # The n-th may come before it is known where to jump to.
            block.append(act("since", nth, block=[act("jump")]))
            kind = "landing"
        elif what == "execs":
            block.append(act("after", nth, block=[act(
                "exec", 0, block=self.program_block())]))
        else:
            end = self.random.choice(("exit", "_exit", "quick", "abort"))
            what = "ends"
            block.append(act("after", nth, block=[
                act(end) if end == "abort" else act(end, 6)]))
        if what not in ("calls", "forks"):
            body = [act(kind, block=body)]
        # A signal that comes between exec() and the new program kills it, where
        # it is not blocked.
        flags = self.random.choice((0, 1) if what == "execs" else (0, 0, 1, 2))
        return [act("on", signal, flags, block=block)] + self.interrupted(
            signal, flags, body)

    def masks(self):
        name = self.random.choice(("blocked", "sigwait", "altstack", "ignore"))
        if name == "sigwait" and self.background:
            name = "blocked"  # the others would be killed by the signal
        if name == "altstack":
            return [act(name, self.random.choice((16, 32, 64)))]
        if name == "ignore":
            signal = self.random.choice((13, 17))
            self.unwaited |= signal == 17
            return [act(name, signal)]
        return [act(name, block=self.some_calls(40))]

    # ---- Limits, after which there are no more threads

    def limits(self):
        self.limited = True
        name = self.one_of({
            "descriptors": 3, "filesize": 3, "nobody": 2,
            # CUPTI's stand-in could not deliver.
            "addresses": 0 if self.gpu else 2,
            "processes": 0 if self.gpu else 1, "close": 2, "closeall": 2, "umask": 1, "chdir": 1,
            "chroot": 2, "remove": 2, "truncate": 1, "sandbox": 4})
        numbers = {
            "filesize": [self.random.choice((0, 1, 8, 40, 300))],
            "addresses": [self.random.choice((1, 4, 32))],
            "close": [self.random.randint(0, 2)],
            "sandbox": [self.random.randint(0, 3)]}.get(name, [])
        after = self.some_calls(3000)
        if name != "addresses" and self.chance(0.5):
            after += self.child()
        elif self.chance(0.5):
            after.append(act("fork", block=self.few_calls()))
        return [act(name, *numbers)] + after

    # ---- The whole

    def look(self):
        # Other threads may just have something open, of ours those that sample;
        # a pipe that was made then has another number.
        if self.background or self.sampled or self.piped:
            return [act("state", 1)]
        return [act("state"), act("next")][:self.random.randint(1, 2)]

    def step(self):
        name = self.one_of({
            "calls": 6, "threads": 0 if self.limited else 4, "child": 5,
            "signals": 0 if self.limited else 3, "masks": 1, "look": 2,
            "at_the_end": 2, "print": 1, "limits": 1})
        if name in ("child", "signals") and self.depth >= 2:
            name = "calls"
        if name == "calls":
            return self.some_calls(self.random.choice((5, 50, 500)))
        if name == "print":
            return [act(self.random.choice(("print", "complain")), 1)]
        return getattr(self, name)()

    def child_or_limit(self):
        name = self.one_of({"nothing": 2, "exec": 1, "limits": 1})
        if name == "exec":
            return [act("vforkexec", 0, block=self.program_block())]
        return self.limits() if name == "limits" else []

    def killed_counting(self):
        """By a signal at any moment, while regions are counted."""
        return [act("killed", self.random.choice((9, 9, 15)),
                    self.random.choice((0, 100, 2000, 20000)),
                    block=[act("gpu", 50)] + self.some_calls(5, 2, self.simple))]

    def case(self):
        mode = self.one_of({"regions": 6, "trace": 2, "sample": 1, "count": 1})
        folder = self.one_of({"normal": 12, "absent": 1, "full": 2, "ramfs": 1,
                              "readonly": 1})
        block = []
        if mode != "regions":
            self.gpu = True
            self.sampled = mode == "sample"
            self.counted = mode == "count"
            block.append(act("gpu", self.random.randint(1, 50)))
        elif self.chance(0.1):
            # NVTX's own first call must not be interrupted by another.
            block += [act("late")] + self.child_or_limit() + self.some_calls(5)
        elif self.chance(0.3):
            self.background = True
            block.append(act("background", self.random.randint(1, 4),
                             block=self.some_calls(20, 2, self.simple)))
        for _ in range(self.random.randint(1, 5)):
            block += self.step()
        if self.chance(0.3):
            block += self.look()
        if mode != "regions" and not self.limited and self.chance(0.5):
            block.append(act("gpu", self.random.randint(1, 50)))
        if mode == "count" and not self.limited and self.chance(0.5):
            return Case(mode, folder, tuple(block + self.killed_counting()), "")
        build = ""
        if mode == "regions" and self.chance(0.1):
            build = "static"
        return Case(mode, folder, tuple(block + self.end(not self.limited)),
                    build)

    def calm_case(self):
        """For ThreadSanitizer, which has no children of threads, no handlers
        that fork and no cancellation."""
        mode = self.one_of({"regions": 2, "trace": 1, "sample": 1, "count": 1})
        block = [] if mode == "regions" else [act("gpu", 20)]
        self.counted = mode == "count"
        if self.chance(0.3):
            block.append(act("fork", block=self.some_calls(50) +
                             self.calm_threads() + [act("exit", 3)]))
        if self.chance(0.5):
            self.background = True
            block.append(act("background", 2,
                             block=self.some_calls(20, 2, self.simple)))
        for _ in range(self.random.randint(1, 3)):
            block += self.calm_threads()
        if self.chance(0.3):
            block += [act("on", 10, 0, block=self.few_calls()),
                      act("pest", 10, 50, block=self.some_calls(300))]
        block.append(self.random.choice((act("exit", 3), act("_exit", 3),
                                         act("kill", 9))))
        return Case(mode, "normal", tuple(block), "tsan")

    def calm_threads(self):
        block = self.context() + self.some_calls(200)
        if self.chance(0.3):
            block.append(act("threadobject", block=self.few_calls()))
        return [act("threads", self.random.randint(2, 4), block=block)]


def draw(random, calm):
    return Draw(random).calm_case() if calm else Draw(random).case()
