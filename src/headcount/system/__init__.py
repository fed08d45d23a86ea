"""What operating systems do differently: opening files for their owner alone, locking them, and making names durable.

posix.py     Linux and macOS
windows.py   Windows
threads.py   work on several processors; and
late.py      modules that are imported when they are used: the same on all systems

The first two have the same functions, and promise the same:

- `open_file` follows no link, and makes a new file private before anybody else can open it.
- `make_private` shuts out all users but the owner (on Windows: and the system and administrators, as for folders of
  mode 0700 that Python makes).
- A lock belongs to one opening of a file: another one of the same process does not have it. The system gives it back
  when the process ends, however it ends.
- What was created in a folder, or renamed, before `sync_folder` returns is there after a power cut.

What a system cannot do raises an OSError: nothing is silently weaker.
"""

import sys

if sys.platform == "win32":
    from headcount.system.windows import (
        JOURNAL,
        after_fork,
        is_private_folder,
        keep_private,
        make_folder_private,
        make_private,
        open_file,
        sync_folder,
        try_lock,
        unlock,
    )
else:
    from headcount.system.posix import (
        JOURNAL,
        after_fork,
        is_private_folder,
        keep_private,
        make_folder_private,
        make_private,
        open_file,
        sync_folder,
        try_lock,
        unlock,
    )

__all__ = [
    "JOURNAL",
    "after_fork",
    "is_private_folder",
    "keep_private",
    "make_folder_private",
    "make_private",
    "open_file",
    "sync_folder",
    "try_lock",
    "unlock",
]
