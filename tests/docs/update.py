"""Write anew what pages show of the code: reference pages, pictures of mechanisms, and the output of one run.
`python -m tests.docs.update`.

Names of pages may follow (`docs/tutorial.md`): then only these are run. Read the diff.
"""

import contextlib
import shutil
import sys
import tempfile
from pathlib import Path

from headcount.jobs import JOBS
from tests.docs import engines, messages, pictures, reference
from tests.docs.snippets import PAGES, ROOT, has_one_run, rewritten


def refresh(page: Path) -> None:
    """The page with the output of today, made in a folder of its own."""
    text = page.read_text()
    if has_one_run(text):
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            fresh = rewritten(page.relative_to(ROOT).as_posix(), text)
            keep_pictures(page, Path(folder))
        page.write_text(fresh)


def keep_pictures(page: Path, folder: Path) -> None:
    """What the README draws is the picture that it shows."""
    if page.name == "README.md":
        for picture in folder.glob("*.png"):
            shutil.copy(picture, ROOT / "docs" / "images" / picture.name)


def regenerate(job: str) -> None:
    """The page of a job, if it is not fresh; its output follows."""
    path, text = reference.path(job), reference.page(job)
    if not path.exists() or reference.without_output(path.read_text()) != text:
        path.write_text(text)


if __name__ == "__main__":
    generated = {reference.path(job): job for job in JOBS}
    wanted = {(ROOT / name).resolve() for name in sys.argv[1:]} or {*PAGES, *generated}
    pictures.write()
    reference.OPTIONS.write_text(reference.options_page())
    messages.PAGE.write_text(messages.page())
    engines.PAGE.write_text(engines.page(engines.PAGE.read_text()))
    for page in sorted(wanted):
        if page in generated:
            regenerate(generated[page])
        refresh(page)
