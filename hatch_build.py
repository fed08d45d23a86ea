"""Builds the kernels (src/headcount/source/kernels) into the wheel, if there is a C compiler. Without one the wheel is
the same without them: everything works, by NumPy and on the engine.

    python hatch_build.py [FLAG ...]        builds them into this checkout, with further flags of the compiler
"""

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # run as a command, where the backend need not be installed
    BuildHookInterface = object

KERNELS = Path("src", "headcount", "source", "kernels")
LIBRARY = "kernels.bin"
FLAGS = ("-std=c99", "-O2", "-fPIC", "-shared", "-fvisibility=hidden")
"""No flag for the machine at hand, which may not be the one that runs it."""


class KernelsHook(BuildHookInterface):  # type: ignore[misc]
    """Adds the kernels to a wheel, which is then one of this platform, for every Python."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        library = build(Path(self.root))
        if library is not None and version != "editable":
            platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
            build_data["artifacts"].append(str(library.relative_to(self.root)))
            build_data.update(pure_python=False, tag=f"py3-none-{platform}")


def build(root: Path, *flags: str) -> Path | None:
    """Compile the kernels into their folder; None if there is no compiler, or it fails."""
    source, library = root / KERNELS / "kernels.c", root / KERNELS / LIBRARY
    library.unlink(missing_ok=True)
    return compiled(source, library, *flags)


def compiled(source: Path, library: Path, *flags: str) -> Path | None:
    """Compile a file to a library; None if there is no compiler, or it fails."""
    compilers = (shutil.which(each) for each in ("cc", "gcc", "clang"))
    words = shlex.split(os.environ.get("CC", "")) or [each for each in compilers if each][:1]
    part = library.with_name(f"{library.name}.{os.getpid()}")
    try:
        subprocess.run([*words, *FLAGS, *flags, "-o", str(part), str(source)], check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        part.unlink(missing_ok=True)
        return None
    return part.rename(library)  # a process sees all of it or nothing


if __name__ == "__main__":
    print(build(Path(__file__).parent, *sys.argv[1:]) or "no compiler: the kernels are not built")
