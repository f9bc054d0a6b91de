# SPDX-License-Identifier: Apache-2.0
"""Called from programs of other files: inlining crosses files."""

OFFSET = 2.0


def halve_if_large(t):
    if t.sum() > 4:
        return t / 2
    return t


def scaled(t, *, by):
    return t * by


class Scaler:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, t):
        return t * self.factor if t.sum() > 0 else t

    def shifted(self, t):
        return halve_if_large(self(t)) + self.factor
