# SPDX-License-Identifier: Apache-2.0
"""What is shown while a compilation lasts."""

import io
import time

from dycl.progress import ProgressLine


class Terminal(io.StringIO):
    def isatty(self):
        return True


def test_a_file_gets_a_line_per_phase_and_now_and_then_another():
    told = io.StringIO()
    with ProgressLine(told, every=0.05) as progress:
        progress("optimize", 0, 0, "")
        progress("backend", 0, 0, "")
        progress("backend", 0, 12, "sub-DNNs")
        time.sleep(0.3)  # nothing is reported meanwhile
        progress("backend", 12, 12, "sub-DNNs")
    lines = told.getvalue().splitlines()
    assert lines[:2] == ["[1] optimize", "[2] backend"]
    assert len(lines) > 3
    assert all(line.startswith("[2] backend 0/12 sub-DNNs, ") for line in lines[2:4])


def test_a_quick_compilation_is_told_by_its_phases_only():
    told = io.StringIO()
    with ProgressLine(told) as progress:
        progress("optimize", 0, 0, "simplify the graph")
        progress("backend", 1, 2, "")
    assert told.getvalue() == "[1] optimize: simplify the graph\n[2] backend\n"


def test_phases_that_are_known_are_counted():
    told = io.StringIO()
    with ProgressLine(told, phases=["rewrite", "optimize", "host_gen"]) as progress:
        progress("rewrite", 0, 0, "")
        progress("host_gen", 0, 0, "")
        progress("more", 0, 0, "")
    assert told.getvalue() == "[1/3] rewrite\n[3/3] host_gen\n[3] more\n"


def test_a_terminal_gets_one_line_per_phase_that_is_drawn_again():
    told = Terminal()
    with ProgressLine(told, every=30) as progress:
        progress("optimize", 0, 0, "")
        progress("backend", 3, 12, "sub-DNNs")
        progress("backend", 4, 12, "sub-DNNs")
    shown = [line.rsplit("\r\x1b[K", 1)[-1] for line in told.getvalue().split("\n")]
    assert shown == ["[1] optimize", "[2] backend 4/12 sub-DNNs, 0 s", ""]


def test_nothing_is_left_running_when_it_fails():
    told = io.StringIO()
    try:
        with ProgressLine(told, every=0.01) as progress:
            raise ValueError
    except ValueError:
        pass
    before = told.getvalue()
    time.sleep(0.1)
    assert told.getvalue() == before
    assert not progress._thread.is_alive()


def test_with_patience_short_compilations_show_nothing_and_long_ones_leave_nothing():
    told = Terminal()
    with ProgressLine(told, every=0.01, patience=60) as progress:
        progress("optimize", 0, 0, "")
        progress("backend", 1, 2, "sub-DNNs")
        time.sleep(0.05)
    assert told.getvalue() == ""
    with ProgressLine(told, every=0.01, patience=0.02) as progress:
        progress("backend", 1, 2, "sub-DNNs")
        time.sleep(0.2)
    assert "[1] backend 1/2 sub-DNNs, 0 s" in told.getvalue()
    assert "\n" not in told.getvalue()
    assert told.getvalue().endswith("\r\x1b[K")


def test_what_has_no_known_end_is_told_by_how_much_is_done():
    told = Terminal()
    with ProgressLine(told, every=30) as progress:
        progress("rewrite", 0, 0, "run the program")
        progress("rewrite", 12, 0, "leaf calls, 3 paths")
    assert told.getvalue().rsplit("\r\x1b[K", 1)[-1] == "[1] rewrite 12 leaf calls, 3 paths, 0 s\n"
