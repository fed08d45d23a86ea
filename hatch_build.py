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
import tempfile
from pathlib import Path
from typing import Any

try:
    from hatchling.builders.hooks.plugin.interface import BuildHookInterface
except ImportError:  # run as a command, where the backend need not be installed
    BuildHookInterface = object

KERNELS = Path("src", "headcount", "source", "kernels")
LIBRARY = "kernels.bin"
COMPILERS = ("cc", "gcc", "clang", "cl")
FLAGS = ("-std=c99", "-O2", "-shared", "-fvisibility=hidden")
"""No flag for the machine at hand, which may not be the one that runs it."""
MSVC_FLAGS = ("/nologo", "/O2", "/LD", "/TC")


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
    with tempfile.TemporaryDirectory(dir=library.parent) as folder:  # Microsoft's compiler makes further files
        part = Path(folder, library.name)
        try:
            subprocess.run(command(source, part, *flags), check=True, capture_output=True, cwd=folder)
        except (OSError, subprocess.CalledProcessError):
            return None
        return part.replace(library)  # a process sees all of it or nothing


def command(source: Path, library: Path, *flags: str) -> list[str]:
    """The words that compile a file to a library: by CC, or by the first compiler that is found."""
    windows = os.name == "nt"
    said = shlex.split(os.environ.get("CC", ""), posix=not windows)  # \ is no escape in a path of Windows
    words = said or [each for each in map(shutil.which, COMPILERS) if each][:1]
    if words and Path(words[0]).stem.lower() in ("cl", "clang-cl"):
        return [*words, *MSVC_FLAGS, *flags, f"/Fe:{library}", str(source.resolve())]
    return [*words, *FLAGS, *(() if windows else ("-fPIC",)), *flags, "-o", str(library), str(source.resolve())]


if __name__ == "__main__":
    print(build(Path(__file__).parent, *sys.argv[1:]) or "no compiler: the kernels are not built")
