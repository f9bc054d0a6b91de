# SPDX-License-Identifier: Apache-2.0
"""Small programs, one per construct, that the lowering must not change the meaning of.

They are no test modules, so that pytest leaves their code as it is.
"""

CASES = []
NOTES = []


def case(*argument_lists):
    """Names the arguments that a program is run with; without any it is run once."""

    def register(function):
        CASES.append((function, argument_lists or ((),)))
        return function

    return register


def note(what, value=None):
    """Writes down that this place was reached: the order of evaluation."""
    NOTES.append(what)
    return value


class Box:
    """Writes down every access."""

    def __init__(self, **fields):
        self.__dict__.update(fields)

    def __getitem__(self, key):
        note(f"get [{key!r}]")
        return self.__dict__.get(key, 10)

    def __setitem__(self, key, value):
        note(f"set [{key!r}]")
        self.__dict__[key] = value

    def __delitem__(self, key):
        note(f"del [{key!r}]")

    def __setattr__(self, name, value):
        note(f"set .{name}")
        self.__dict__[name] = value


class Truth:
    """Writes down every question for its truth."""

    def __init__(self, name, value):
        self.name, self.value = name, value

    def __bool__(self):
        note(f"bool {self.name}")
        return self.value

    def __lt__(self, other):
        note(f"{self.name} < {other.name}")
        return Truth(f"({self.name}<{other.name})", self.value)


class Manager:
    def __init__(self, name, suppress=False, fail_on=""):
        self.name, self.suppress, self.fail_on = name, suppress, fail_on

    def __enter__(self):
        note(f"enter {self.name}")
        if self.fail_on == "enter":
            raise ValueError("enter")
        return self.name

    def __exit__(self, kind, error, trace):
        note(f"exit {self.name} {kind and kind.__name__} {error}")
        if self.fail_on == "exit":
            raise ValueError("exit")
        return self.suppress
