"""What only some systems have, so that the rest of a file's tests runs on the others."""

import sys

import pytest

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="modes of files, forks and pipes are those of POSIX")
