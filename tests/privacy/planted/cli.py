"""Planted bugs in the command line."""

from tests.privacy.bug import Bug

INTERRUPT = "tests/cli/test_interrupt.py::"

BUGS = [
    Bug(
        "a command serves nobody",
        "cli/job.py",
        ((", serves=run.serves)", ")"),),
        "tests/cli/test_serves.py::test_a_new_draw_is_refused",
    ),
    Bug(
        "a file that cannot be written is noticed after the charge",
        "cli/job.py",
        (("        check_target(path)\n", ""),),
        "tests/cli/test_out.py::test_what_cannot_be_written_is_refused_before_the_charge[too long]",
    ),
    Bug(
        "a closed terminal leaves raw rows on disk",
        "cli/stopping.py",
        (('"SIGTERM", "SIGHUP", ', '"SIGTERM", '),),
        INTERRUPT + "test_a_command_that_is_interrupted[SIGHUP]",
    ),
    Bug(
        "a progress line on a closed terminal hides why it stopped",
        "cli/progress.py",
        (("with suppress(OSError):", "with suppress():"),),
        INTERRUPT + "test_a_terminal_that_is_closed",
    ),
    Bug(
        "a signal that was to be ignored stops a release",
        "cli/stopping.py",
        (("signal.SIG_IGN if each in _ignored_at_start() else _stop", "_stop"),),
        INTERRUPT + "test_what_it_was_told_to_ignore_is_ignored[SIGINT]",
    ),
    Bug(
        "an interrupted new draw is called lost",
        "cli/job.py",
        (("with --again, finishes it and costs nothing more", "with --again, pays for another"),),
        INTERRUPT + "test_an_interrupted_new_draw_is_finished_for_nothing[new]",
    ),
]
