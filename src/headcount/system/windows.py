"""Files, locks and folders on Windows.

Files are opened by CreateFileW: Python's own `os.open` follows links, translates line ends, gives a new file the
permissions of its folder, and lets nobody rename or remove a file that is open. A lock is on one byte
far beyond the end of a file, as nobody else could read what is locked. Folders are flushed as files are.
"""

import sys

if sys.platform == "win32":
    import ctypes
    import msvcrt
    import os
    from collections.abc import Callable, Iterator
    from contextlib import contextmanager, suppress
    from ctypes import wintypes
    from errno import ELOOP
    from pathlib import Path
    from stat import FILE_ATTRIBUTE_REPARSE_POINT, S_ISDIR

    JOURNAL = "TRUNCATE"
    """Journal mode of SQLite with which a commit is durable: it syncs the emptied journal. Removing one, as on other
    systems, may be undone by a power cut, and the charge with it: SQLite does not flush folders on Windows."""

    PRIVATE = "D:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;FA;;;OW)"
    """Full access for the system, administrators and the owner, also to what is made in a folder later; nothing is
    inherited from the folder above."""
    GENERIC_READ, GENERIC_WRITE = 0x80000000, 0x40000000
    SHARE_ALL = 7
    CREATE_NEW, OPEN_EXISTING, OPEN_ALWAYS = 1, 3, 4
    NORMAL, OPEN_REPARSE_POINT, BACKUP_SEMANTICS = 0x80, 0x00200000, 0x02000000
    PROTECTED_DACL = 0x80000004
    LOCKED = (0, 1 << 30, 1, 0)
    """One byte, at 2^62: the place of the lock, and how much is locked."""
    LOCK_VIOLATION = 33
    _INVALID = wintypes.HANDLE(-1).value

    class _SecurityAttributes(ctypes.Structure):
        _fields_ = (("length", wintypes.DWORD), ("descriptor", wintypes.LPVOID), ("inherit", wintypes.BOOL))

    _kernel = ctypes.WinDLL("kernel32", use_last_error=True)
    _advapi = ctypes.WinDLL("advapi32", use_last_error=True)
    _kernel.CreateFileW.restype = wintypes.HANDLE
    _kernel.CreateFileW.argtypes = (
        *(wintypes.LPCWSTR, wintypes.DWORD, wintypes.DWORD, ctypes.POINTER(_SecurityAttributes)),
        *(wintypes.DWORD, wintypes.DWORD, wintypes.HANDLE),
    )
    _kernel.FlushFileBuffers.argtypes = _kernel.CloseHandle.argtypes = (wintypes.HANDLE,)
    _kernel.LockFile.argtypes = _kernel.UnlockFile.argtypes = (wintypes.HANDLE, *(wintypes.DWORD,) * 4)
    _kernel.LocalFree.argtypes = (wintypes.LPVOID,)
    _advapi.SetFileSecurityW.argtypes = (wintypes.LPCWSTR, wintypes.DWORD, wintypes.LPVOID)
    _to_descriptor = _advapi.ConvertStringSecurityDescriptorToSecurityDescriptorW
    _to_descriptor.argtypes = (wintypes.LPCWSTR, wintypes.DWORD, ctypes.POINTER(wintypes.LPVOID), wintypes.LPVOID)

    def open_file(path: Path, flags: int, mode: int = 0o600) -> int:
        """Open a file, never through a link; a new one whose mode shuts out others is private from its creation on."""
        access = {os.O_RDONLY: GENERIC_READ, os.O_WRONLY: GENERIC_WRITE}.get(flags & 3, GENERIC_READ | GENERIC_WRITE)
        found = OPEN_EXISTING if not flags & os.O_CREAT else CREATE_NEW if flags & os.O_EXCL else OPEN_ALWAYS
        with _descriptor() as private:
            security = None if mode & 0o077 else ctypes.byref(_SecurityAttributes(24, private, False))
            handle = _created(path, access, security, found, NORMAL | OPEN_REPARSE_POINT)
        file = msvcrt.open_osfhandle(handle, flags & 3 | os.O_BINARY | os.O_NOINHERIT)
        if os.fstat(file).st_file_attributes & FILE_ATTRIBUTE_REPARSE_POINT:
            os.close(file)
            raise OSError(ELOOP, "a link", str(path))
        return file

    def make_private(file: int, path: Path) -> None:
        """Make an open file private. Raises an OSError if its file system has no permissions."""
        _shut_out_others(path)

    def make_folder_private(path: Path) -> None:
        """Make a folder private, and what is made in it later."""
        _shut_out_others(path)

    def keep_private(file: int, path: Path) -> None:
        """Make an open file private, if this user may do so."""
        with suppress(PermissionError):
            make_private(file, path)

    def is_private_folder(path: Path) -> bool:
        """True for a folder, not a link to one. What belongs to others cannot be removed anyway."""
        found = path.lstat()
        return S_ISDIR(found.st_mode) and not found.st_file_attributes & FILE_ATTRIBUTE_REPARSE_POINT

    def try_lock(file: int) -> bool:
        """Lock an open file; False if it is locked elsewhere. Raises an OSError if its file system has no locks."""
        locked = _kernel.LockFile(msvcrt.get_osfhandle(file), *LOCKED)
        _check(locked or ctypes.get_last_error() == LOCK_VIOLATION, None)
        return bool(locked)

    def unlock(file: int) -> None:
        """Give a lock back, if there is one; closing the file does it, too."""
        _kernel.UnlockFile(msvcrt.get_osfhandle(file), *LOCKED)

    def sync_folder(folder: Path) -> None:
        """Flush a folder, so that created and renamed files survive a crash."""
        handle = _created(folder, GENERIC_WRITE, None, OPEN_EXISTING, BACKUP_SEMANTICS)
        try:
            _check(_kernel.FlushFileBuffers(handle), folder)
        finally:
            _kernel.CloseHandle(handle)

    def after_fork(function: Callable[[], None]) -> None:
        """Nothing: no process is forked."""

    def _created(path: Path, access: int, security: object, found: int, flags: int) -> int:
        handle = _kernel.CreateFileW(str(path), access, SHARE_ALL, security, found, flags, None)
        _check(handle != _INVALID, path)
        return int(handle)

    def _shut_out_others(path: Path) -> None:
        with _descriptor() as private:
            _check(_advapi.SetFileSecurityW(str(path), PROTECTED_DACL, private), path)

    @contextmanager
    def _descriptor() -> Iterator[wintypes.LPVOID]:
        """The permissions of private files, for the duration of the block."""
        found = wintypes.LPVOID()
        _check(_to_descriptor(PRIVATE, 1, ctypes.byref(found), None), None)
        try:
            yield found
        finally:
            _kernel.LocalFree(found)

    def _check(succeeded: bool, path: Path | None) -> None:
        """Raise the last error of the system, as the kind of OSError that Python has for it."""
        if not succeeded:
            code = ctypes.get_last_error()
            raise OSError(0, ctypes.FormatError(code).strip(" .\r\n"), path and str(path), code)
