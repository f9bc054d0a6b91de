# SPDX-License-Identifier: Apache-2.0
from . import Manager, case, note

ERRORS = (None, ValueError("v"), KeyError("k"), ZeroDivisionError("z"), OSError("s"))
EACH = tuple((error,) for error in ERRORS)


@case(*EACH)
def try_except_else_finally(error):
    try:
        note("body")
        if error:
            raise error
    except ValueError:
        note("value")
    except (KeyError, IndexError) as e:
        note(f"key {e}")
        x = e
    except ArithmeticError as e:
        note("again")
        raise
    else:
        note("else")
    finally:
        note("finally")
    return note("end", "done")


@case(*EACH)
def bare_except(error):
    try:
        if error is not None:
            raise error
    except:
        return "caught"
    return "fine"


@case(*EACH)
def name_is_unbound_afterwards(error):
    e = "outer"
    try:
        if error:
            raise error
    except Exception as e:
        note(repr(e))
    return e


@case(*EACH)
def return_the_exception(error):
    try:
        raise error or TypeError("t")
    except Exception as e:
        return e
    finally:
        note("finally")


@case(*EACH)
def nested(error):
    try:
        try:
            if error:
                raise error
            return "returned"
        except ValueError as e:
            raise RuntimeError("from value") from e
        finally:
            note("inner finally")
    except RuntimeError as e:
        note(f"outer {e} {e.__cause__!r}")
        try:
            raise KeyError("new")
        except KeyError:
            pass
        raise
    finally:
        note("outer finally")


@case((0,), (1,), (2,), (3,), (4,))
def finally_in_loop(n):
    seen = []
    for i in range(4):
        try:
            seen.append(i)
            if i == n == 1:
                continue
            if i == n == 2:
                break
            if i == n == 3:
                return seen, "returned"
        finally:
            seen.append("f")
            if n == 0 and i == 2:
                seen.append("swallowed by break")
                break
    else:
        seen.append("else")
    return seen


@case()
def finally_overrides_return():
    for _ in range(2):
        try:
            return "first"
        finally:
            continue
    try:
        return "first"
    finally:
        return "second"


@case()
def returned_value_is_read_before_finally():
    x = 1
    try:
        return x
    finally:
        x = 2
        note("x", x)


@case(*EACH)
def finally_swallows(error):
    while True:
        try:
            if error:
                raise error
            note("fine")
        finally:
            break
    return "after"


@case(*EACH)
def else_is_not_protected(error):
    try:
        note("body")
    except ValueError:
        return "wrong"
    else:
        if error:
            raise error
    return "end"


@case(*EACH)
def with_statement(error):
    with Manager("a") as a, Manager("b", suppress=True) as (b):
        note(a + b)
        if error:
            raise error
        return "returned"
    return "suppressed"


@case((None,), ("enter",), ("exit",))
def with_that_fails(fail_on):
    try:
        with Manager("outer"), Manager("m", fail_on=fail_on):
            note("body")
    except ValueError as e:
        return str(e)


@case((None,), (2,), (1,))
def with_in_loop(stop):
    for i in range(3):
        with Manager(str(i)) as name:
            if i == stop:
                break
            if i == 0:
                continue
            note(name)
    return i


@case()
def manager_name_is_reused():
    m = Manager("m")
    with m:
        m = Manager("n")
    return m.name


@case((None,), (1,))
def manager_without_methods(m):
    with m:
        pass


@case(*EACH)
def raise_class_and_cause(error):
    if error is None:
        raise ValueError
    raise ValueError("x") from error


@case((1,), (ValueError,))
def raise_something_else(x):
    raise x


@case((ValueError("v"),), (None,))
def handler_raises(error):
    try:
        try:
            if error:
                raise error
        except ValueError as e:
            note("handler")
            raise KeyError("k") from None
    except KeyError as e:
        note(repr(e))
        return e.__cause__
    return "none"


@case((ValueError("v"),))
def types_are_looked_up_in_order(error):
    try:
        raise error
    except note("first", KeyError):
        return 1
    except note("second", ValueError):
        return 2
    except note("third", TypeError):
        return 3


@case((1,), (0,))
def assert_in_try(n):
    try:
        assert n, "zero"
    except AssertionError as e:
        return str(e)
    return "fine"


@case((3,))
def bare_raise_in_finally(n):
    try:
        raise KeyError(n)
    except KeyError:
        try:
            note("inner")
        finally:
            raise
