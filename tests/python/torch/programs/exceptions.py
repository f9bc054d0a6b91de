# SPDX-License-Identifier: Apache-2.0
"""try, except, else, finally, raise, assert, with: exceptions as control flow and as results."""

import contextlib
import warnings

import torch
from python.torch.case import case, v


class ExitEarly(Exception):
    def __init__(self, value, where=0):
        super().__init__(f"left at {where}")
        self.value = value
        self.where = where


class Negative(ValueError):
    pass


@case(v(1.0), v(-1.0))
def raise_and_catch(x):
    try:
        if x.sum() > 0:
            raise ValueError("positive")
        y = x * 2
    except ValueError:
        y = x + 100
    return y


@case(v(9.0), v(3.0), v(1.0))
def early_exit_by_exception(x):
    def layer(t, i):
        if t.sum() > 8:
            raise ExitEarly(t, i)
        return t * 4

    try:
        for i in range(2):
            x = layer(x, i)
    except ExitEarly as left:
        return left.value, left.where, str(left)
    return x, None, ""


@case(v(1.0), v(-1.0), may_raise=True)
def uncaught_raise(x):
    if x.sum() < 0:
        raise ValueError("the sum is negative")
    return x


@case(v(1.0), v(-1.0), may_raise=True)
def assert_with_a_message(x):
    assert x.sum() > 0, "must be positive"
    return x * 2


@case(v(1.0), v(-1.0), may_raise=True)
def assert_without_a_message(x):
    assert x.sum() > 0
    return x * 2


@case(v(1.0), v(-1.0), may_raise=True)
def raise_of_a_class(x):
    if x.sum() < 0:
        raise NotImplementedError
    return x


@case(v(3.0), v(-3.0), may_raise=True)
def message_with_a_number(x):
    n = int(x.sum())
    if n < 0:
        raise ValueError(f"got {n}, wanted 0 or more")
    return x * n


@case(v(5.0), v(0.5), v(-1.0), may_raise=True)
def several_handlers(x):
    try:
        if x > 3:
            raise KeyError("big")
        if x > 0:
            raise Negative("no")
        raise RuntimeError("rest")
    except KeyError as error:
        return x, error.args
    except (ValueError, TypeError):
        return x * 2


@case(v(1.0), v(-1.0))
def try_else(x):
    try:
        if x > 0:
            raise ValueError
    except ValueError:
        y = x * 2
    else:
        y = x * 3
    return y


@case(v(1.0), v(-1.0))
def finally_runs_on_every_path(x):
    log = []
    try:
        if x > 0:
            return x, log
        y = x * 2
    finally:
        log.append("done")
    return y, log


@case(v(1.0), v(-1.0))
def finally_after_an_exception(x):
    log = []
    try:
        try:
            if x > 0:
                raise ValueError("inner")
            log.append("no error")
        finally:
            log.append("finally")
    except ValueError as error:
        log.append(str(error))
    return x, log


@case(v(1.0), v(-1.0))
def return_in_finally_wins(x):
    def f():
        try:
            if x > 0:
                raise ValueError
            return x
        finally:
            return x * 5

    return f()


@case(v(1.0), v(-1.0), may_raise=True)
def reraise(x):
    try:
        if x < 0:
            raise ValueError("again")
    except ValueError:
        x = x * 2
        raise
    return x


@case(v(1.0), v(-1.0), may_raise=True)
def raise_from(x):
    try:
        if x < 0:
            raise KeyError("first")
    except KeyError as cause:
        raise RuntimeError("second") from cause
    return x


@case(v(1.0), v(-1.0))
def nested_try(x):
    result = []
    try:
        try:
            if x > 0:
                raise KeyError("k")
            raise ValueError("v")
        except KeyError:
            result.append("inner")
    except ValueError:
        result.append("outer")
    return x, result


@case(v(1.0), v(-1.0))
def exception_crosses_calls(x):
    def deepest(t):
        if t.sum() > 0:
            raise Negative("deep")
        return t

    def middle(t):
        return deepest(t) * 2

    try:
        return middle(x)
    except Negative as error:
        return x - 1, type(error).__name__


@case(v(1.0), v(-1.0))
def static_errors_are_caught(x):
    table = {"a": x}
    try:
        y = table["b"]
    except KeyError as error:
        y = x * 2 if x > 0 else x * 3
        return y, error.args[0]
    return y  # static


@case(v(1.0), v(-1.0))
def attribute_error_and_index_error(x):
    try:
        x.missing
    except AttributeError:
        x = x + 1
    try:
        [1, 2][5]
    except IndexError:
        x = x * 2 if x > 0 else x
    return x


@case(v(1.0), v(-1.0))
def exception_kept_as_a_value(x):
    error = None
    try:
        if x > 0:
            raise ValueError("kept")
    except ValueError as e:
        error = e
    return x, str(error)


@case(v(1.0), v(-1.0))
def exception_is_not_caught_by_another_type(x):
    try:
        try:
            if x > 0:
                raise ValueError("v")
        except TypeError:
            x = x * 1000  # static
    except Exception as error:
        return x, repr(error)
    return x


@case(v(1.0), v(-1.0))
def suppress(x):
    with contextlib.suppress(ValueError):
        if x > 0:
            raise ValueError
        x = x * 2
    return x + 1


class Recorded:
    def __init__(self, log, swallow):
        self.log, self.swallow = log, swallow

    def __enter__(self):
        self.log.append("in")
        return self

    def __exit__(self, kind, error, trace):
        self.log.append("out" if kind is None else kind.__name__)
        return self.swallow


@case(v(1.0), v(-1.0))
def with_statement_that_swallows(x):
    log = []
    with Recorded(log, True) as r:
        if x > 0:
            raise ValueError("gone")
        x = x * 2
    return x, log, r.swallow


@case(v(1.0), v(-1.0))
def with_statement_that_lets_pass(x):
    log = []
    try:
        with Recorded(log, False), Recorded(log, False):
            if x > 0:
                raise ValueError("kept")
            x = x * 2
    except ValueError:
        log.append("caught")
    return x, log


@case(v(1.0), v(-1.0))
def with_return_inside(x):
    log = []

    def f():
        with Recorded(log, False):
            if x > 0:
                return x * 2
        return x

    return f(), log


@contextlib.contextmanager
def tagged(log, name):
    log.append(f"<{name}>")
    try:
        yield name
    finally:
        log.append(f"</{name}>")


@case(v(1.0), v(-1.0))
def contextmanager_of_a_generator(x):
    log = []
    with tagged(log, "a") as a:
        if x > 0:
            x = x * 2
        log.append(a)
    return x, log


@case(v(1.0), v(-1.0))
def contexts_of_torch(x):
    with torch.no_grad():
        y = x * 2
        if y > 0:
            y = y + 1
    with torch.inference_mode(), contextlib.nullcontext(3) as three:
        y = y * three
    with torch.autograd.profiler.record_function("block"), torch.enable_grad():
        y = y - 1
    return y


@torch.no_grad()
def _without_grad(t):
    return t * 3 if t > 0 else t


@case(v(1.0), v(-1.0))
def no_grad_as_a_decorator(x):
    return _without_grad(x)


@case(v(2.0), v(-2.0), v(0.0), may_raise=True)
def division_of_numbers_by_zero(x):
    n = int(x)
    try:
        return x, 10 // n
    except ZeroDivisionError as error:
        return x, str(error)


@case(v(1.0, 2.0), v(1.0, -2.0))
def stop_iteration(x):
    items = iter([x[0]])
    first = next(items)
    try:
        second = next(items)
    except StopIteration:
        second = x[1] if x[1] > 0 else None
    return first, second


class _CodeError(Exception):
    """Takes something else than the message that it hands on."""

    def __init__(self, code):
        super().__init__(f"code {code}")
        self.code = code


@case(v(5.0), v(1.0), may_raise=True)
def exception_with_an_init(x):
    if x > 3:
        raise _CodeError(int(x))
    return x


class _TooLong(ValueError):
    """Keeps what it is made of."""

    reason = "of the class"

    def __init__(self, number, *parts):
        super().__init__(f"too long by {number}")
        self.number = number
        self.parts = parts
        self.shape = torch.Size([1, 2])


@case(v(5.0), v(2.0), v(1.0), v(-1.0), may_raise=True)
def exception_with_attributes(x):
    if x > 3:
        raise _TooLong(7, "a", None, (1, 2.5, True))
    if x > 1:
        error = _TooLong(int(x), float(x) + 1, int(x))
        error.reason = ["new", {"at": int(x)}]
        raise error
    if x > 0:
        error = ValueError("known")
        error.code = 3
        raise error
    return x


@case(v(5.0), v(2.0), v(1.0), v(0.5), v(-1.0), may_raise=True)
def exception_with_a_structure_as_argument(x):
    assert x < 4, {"a": 1}
    assert x < 2, ("x", x.shape)
    if x > 0.7:
        raise RuntimeError((1, [2]), "text")
    assert x < 0, None
    return x


@case(v(5.0), v(1.0), v(-1.0), may_raise=True)
def exit_of_the_process(x):
    if x > 3:
        raise SystemExit(3)
    if x > 0:
        raise SystemExit
    return x


@case(v(5.0), v(1.0), may_raise=True)
def key_error_of_a_number(x):
    n = int(x)
    if n > 3:
        raise KeyError(n)
    return x


@case(v(5.0), v(1.0), v(-1.0), v(-5.0), may_raise=True)
def errors_of_known_numbers(x):
    if x > 3:
        raise KeyError(7)
    if x > 0:
        raise KeyError(True) from None
    if x > -3:
        raise KeyError(2.5)
    return x


@case(v(5.0), v(1.0), v(-1.0), may_raise=True)
def errors_without_arguments(x):
    if x > 3:
        raise KeyError
    if x > 0:
        raise ValueError()
    return x


@case(v(5.0), v(1.0), v(-1.0), may_raise=True)
def errors_with_several_arguments(x):
    if x > 3:
        raise ValueError("several", 2)
    if x > 0:
        raise RuntimeError(None)
    return x


@case(v(1.0), v(2.0), v(3.0))
def missing_tensor_that_is_caught(x):
    try:
        return [x, x * 2].index(x * x)
    except ValueError:
        return -1


@case(v(1.0), v(-1.0))
def warnings_are_caught(x):
    with warnings.catch_warnings():
        return x * 2 if x > 0 else x


@torch.inference_mode()
def _inferring(t):
    return t * 3 if t > 0 else t


@torch.autocast("cpu", enabled=False)
def _not_cast(t):
    return t * 3 if t > 0 else t


@torch.set_grad_enabled(False)
def _set_grad(t):
    return t - 3 if t > 0 else t


@case(v(1.0), v(-1.0))
def contexts_as_decorators(x):
    return _inferring(x), _not_cast(x), _set_grad(x)


@case(v(1.0, -2.0, 3.0), v(-1.0, -2.0, -3.0), v(1.0, 2.0, 3.0), unreachable=2)  # no index is too large
def rows_are_walked_in_a_try(x):
    total = x * 0
    try:
        for place in torch.nonzero(x > 0):
            total = total + x[place[0]]
    finally:
        total = total + 1
    return total
