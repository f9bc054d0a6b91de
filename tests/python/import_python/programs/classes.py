# SPDX-License-Identifier: Apache-2.0
import functools

from . import case, note


class Base:
    def __init__(self, k=1):
        self.k = k

    def __repr__(self):
        return f"{type(self).__name__}({self.k})"

    def scale(self, x):
        return x * self.k

    @classmethod
    def make(cls):
        return cls(3)


class Child(Base):
    __hidden = 5

    def __init__(self, k):
        super().__init__(k)
        self.__private = k

    def scale(self, x):
        note("child")
        return super().scale(x) + self.__private + self.__hidden

    def inner(self, x):
        def helper(me):
            return super().scale(x), __class__.__name__, me is self

        return helper(self)

    def rebound(self, other):
        self = other
        return super().scale(2)

    def __secret(self, __x=1):
        __local = __x
        return [__local for __each in range(2)]

    def call_secret(self):
        return self.__secret(__x=4) if False else self.__secret(4)

    @classmethod
    def make(cls):
        return super().make()

    @staticmethod
    def helper(x):
        return x + 1

    @property
    def size(self):
        return self.k + 1

    @functools.wraps(Base.scale)
    def wrapped(self, x):
        return self.helper(x)


class _Odd:
    def __mangled(self):
        return self.__mangled.__name__


child = Child(2)
METHODS = [
    (Child.scale, (child, 3)),
    (Child.inner, (child, 4)),
    (Child.rebound, (child, Child(9))),
    (Child._Child__secret, (child, 1)),
    (Child.call_secret, (child,)),
    (Child.make.__func__, (Child,)),
    (Child.helper, (1,)),
    (Child.size.fget, (child,)),
    (Child.wrapped, (child, 1)),
    (_Odd._Odd__mangled, (_Odd(),)),
]
for function, arguments in METHODS:
    case(arguments)(function)
