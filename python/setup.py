"""The wheel's tag: that of the program in it, else any.

All else is in pyproject.toml; scripts/wheel.sh puts the program there.
"""

import pathlib
import re

import setuptools
from wheel.bdist_wheel import bdist_wheel

FILES = sorted(pathlib.Path(__file__).parent.glob("rangefinder/bin/*"))
FLOOR = (2, 31)  # glibc of Debian 11, the oldest that releases are tried with
MACHINES = {62: "x86_64", 183: "aarch64"}  # e_machine of ELF


def tag():
    """manylinux with the newest glibc that a file asks for, at least FLOOR."""
    machine = MACHINES[int.from_bytes(FILES[0].read_bytes()[18:20], "little")]
    versions = [tuple(map(int, found.split(b"."))) for file in FILES
                for found in re.findall(rb"\0GLIBC_(\d+\.\d+)", file.read_bytes())]
    major, minor = max([FLOOR, *versions])
    return f"manylinux_{major}_{minor}_{machine}"


class Wheel(bdist_wheel):
    def get_tag(self):
        return ("py3", "none", tag()) if FILES else super().get_tag()


setuptools.setup(cmdclass={"bdist_wheel": Wheel},
                 has_ext_modules=lambda: bool(FILES))
