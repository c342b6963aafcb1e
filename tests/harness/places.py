"""Where a case runs: folders, file systems, variables."""

import ctypes
import dataclasses
import os
import pathlib
import resource
import shutil

libc = ctypes.CDLL(None, use_errno=True)


def mount(kind, place, options):
    return libc.mount(b"none", os.fsencode(place), kind, 0, options) == 0


@dataclasses.dataclass
class Files:
    """What was built."""
    program: pathlib.Path
    library: pathlib.Path
    plugin: pathlib.Path  # a library with NVTX
    cupti: pathlib.Path
    driver: pathlib.Path


class Place:
    """The folders in which one worker runs its cases."""

    def __init__(self, root):
        self.root = pathlib.Path(root)
        libc.prctl(36, 1, 0, 0, 0)  # orphans become ours: PR_SET_CHILD_SUBREAPER
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        self.mounts = libc.unshare(0x20000) == 0 and libc.mount(
            b"none", b"/", None, 0x44000, None) == 0  # NEWNS; PRIVATE | REC
        for name, kind, options in (("full", b"tmpfs", b"size=48k"),
                                    ("ramfs", b"ramfs", b""),
                                    ("readonly", b"tmpfs", b"ro")):
            (self.root / name).mkdir()
            self.mounts = self.mounts and mount(kind, self.root / name, options)
        self.batch = self.root / "batch"
        self.batch.mkdir()
        self.number = 0

    def fresh(self, name):
        path = self.root / name
        shutil.rmtree(path, ignore_errors=True)
        path.mkdir()
        path.chmod(0o755)
        return path

    def folder(self, kind):
        """For traces."""
        if kind == "absent" or not self.mounts and kind == "readonly":
            return self.root / "nothing" / "here"
        if kind == "readonly":
            return self.root / "readonly"
        if kind in ("full", "ramfs") and self.mounts:
            return self.fresh(f"{kind}/traces")
        return self.fresh("traces")

    def keep(self, folder):
        """Puts traces aside, to be read together."""
        self.number += 1
        kept = self.batch / str(self.number)
        kept.mkdir()
        for path in folder.glob("*.rftrace"):
            shutil.move(path, kept / path.name)
        return kept


COUNT_PLAN = ("rangefinder-count\t1\nrow\t0\t1\t0\t0\t1\tsplit\t\tA\n"
              "row\t0\t1\t0\t0\t1\twhole\t\tpair\n")


COUNTED = {"METRICS": "one.sum,two.avg"}


def environment(case, files, place, traced, folder, armed):
    """`armed`: how, or nothing."""
    of_program = {"PATH": os.environ.get("PATH", "/usr/bin:/bin"),
                  "TSAN_OPTIONS": "report_thread_leaks=0:"
                                  "report_signal_unsafe=0:"
                                  "die_after_fork=0",
                  "FOREIGN_PLUGIN": str(files.plugin),
                  "FOREIGN_TALLY": str(place.root / "tally"),
                  "FOREIGN_FOLDER": str(folder)}
    if case.mode != "regions":
        of_program["FOREIGN_CUPTI"] = str(files.cupti)
        of_program["FAKE_DRIVER"] = str(files.driver)
    if not traced:
        return of_program
    plan = place.root / "plan"
    plan.write_text(COUNT_PLAN)
    traced = {
        "NVTX_INJECTION64_PATH": str(files.library),
        "CUDA_INJECTION64_PATH": str(files.library),
        "RANGEFINDER_CUPTI_PATH": of_program.get("FOREIGN_CUPTI", "")}
    if armed:
        return of_program | traced | {
            "RANGEFINDER_INJECT_MODE": "armed",
            "RANGEFINDER_INJECT_ARM": armed,
            "RANGEFINDER_SOCKET_DIR": str(place.root / "sockets")}
    return of_program | traced | {
        "RANGEFINDER_INJECT_DIR": str(folder),
        "RANGEFINDER_INJECT_MODE": case.mode,
        "RANGEFINDER_INJECT_COUNT_PLAN": str(plan)} | (
            {f"RANGEFINDER_INJECT_{name}": value
             for name, value in COUNTED.items()}
            if case.mode == "count" else {})
