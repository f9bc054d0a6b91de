# SPDX-License-Identifier: Apache-2.0
"""What torch says of sizes it does not know is tried out: small sizes are run for real, on made-up values.

Sizes at which eager does something else than was typed are found here: the path splits there (SizeSplit), or
the program checks for them (Requirement). So is whether the lowered fragment agrees at these sizes.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import torch

from dycl._core import Runtime, SizeExpr, min_of_sizes, size_relation_holds, size_relation_splits
from dycl.frontend.sizes.confirm import MOST_ELEMENTS, confirm, made_up, tensors_of
from dycl.frontend.sizes.fragment_run import FragmentRun
from dycl.frontend.sizes.sizes import Size, product_of, symbols_of, value_at
from dycl.frontend.sizes.sizing import Sizing
from dycl.frontend.sizes.structure import Lifted, Sized, replace
from dycl.frontend.sizes.torch_sizes import storage_id
from dycl.frontend.sizes.values import (
    LeafRefused,
    Lowered,
    Requirement,
    ScalarSlot,
    SizeSplit,
    SizesRaised,
    TensorSlot,
    TensorSpec,
    TorchRaised,
)

Assignment = dict[SizeExpr, int]
_SMALL = range(10)
_COMMON = (6, 4, 9, 8, 12, 16, 3, 2, 32, 64, 96, 224)
_STRIKING = (37, 41, 43, 47, 53)  # found again in messages
_MOST_TRIED = 4000
_LAST_THRESHOLD = 80


@dataclass(eq=False, slots=True)
class Tried:
    function: Callable[..., Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    operands: list[Any]
    specs: list[TensorSpec]  # of the tensors in the result
    outputs: list[int]  # which of them the fragment gives
    sizing: Sizing
    lowered: Lowered | None = None  # None: eager raises, and nothing was lowered


@dataclass(eq=False, slots=True)
class _Relation:
    relation: str
    left: Size
    right: Size

    @property
    def symbols(self) -> tuple[SizeExpr, ...]:
        return tuple(sorted(symbols_of(self.left, self.right), key=lambda symbol: symbol.number))

    def is_defined(self, values: Assignment) -> bool:
        return all(value_at(side, values) is not None for side in (self.left, self.right))

    def holds(self, values: Assignment) -> bool:
        left, right = (value_at(side, values) for side in (self.left, self.right))
        return (
            left is not None and right is not None and bool(size_relation_holds(self.relation, left, right))
        )


# But for the tensor itself, they are given sizes and nothing else.
_TAKE_SIZES_ONLY = frozenset(["view", "reshape", "expand", "repeat", "tile", "unflatten"])


def tried(call: Tried, runtime: Runtime) -> tuple[list[Requirement], list[set[int]]]:
    """What the program must check of its sizes before the call; and for each tensor of the result the
    operands that it shares memory with at some sizes. Raises SizeSplit or LeafRefused."""
    if call.sizing.env is not None:
        trial = _Trial(call, runtime)
        return trial.run(), trial.aliases
    may_raise = call.lowered is not None and bool(call.lowered.checks)
    confirm(call.function, call.args, call.kwargs, call.operands, call.specs, may_raise)
    return [], []


def misread(method: str, shape: tuple[Size, ...]) -> Requirement:
    """What eager raises where a number is read from a tensor that has none or several elements."""
    values = dict.fromkeys(symbols_of(*shape), 37)
    sample = torch.zeros(tuple(_at(size, values) for size in shape))
    whole = product_of(shape)
    try:
        getattr(sample, method)()
    except (RuntimeError, ValueError) as error:
        text = str(error).replace(str(sample.numel()), "{}")
        fields = [whole] * text.count("{}")
        return Requirement("==", 0, 1, type(error).__name__, text, fields)
    raise AssertionError("torch reads a number from a tensor with several elements")


def raised_for_all(call: Tried, error: TorchRaised) -> None:
    """Raises what eager raises at every size, with the sizes that the message shows."""
    trial = _Trial(call)
    base = trial.where_it_raises()
    outcome = trial.eager(base) if base is not None else None
    if isinstance(outcome, Exception) and base is not None:
        trial.split_where_it_works(base)
        raise SizesRaised(trial.requirement(_Relation("==", 0, 1), base or {}, outcome)) from error
    reason = f"torch cannot type it with sizes known at run time only: {str(error).splitlines()[0]}"
    raise LeafRefused(reason, "leave a dimension out of dynamic_shapes") from error


class _Trial:
    def __init__(self, call: Tried, runtime: Runtime | None = None) -> None:
        self._call = call
        self._name = getattr(call.function, "__name__", "")
        self._sizing = call.sizing
        self._symbols = call.sizing.symbols
        self._ranges = dict(zip(self._symbols, call.sizing.ranges, strict=True))
        self._relations = [r for r in self._assumed() if not self._is_certain(r)]
        self._fragment: FragmentRun | None = None
        if call.lowered is not None and runtime is not None:
            self._fragment = FragmentRun(runtime, call.lowered)
        self._compares = True  # the fragment's values
        self._outcomes: dict[tuple[int, ...], Any] = {}
        self.aliases: list[set[int]] = [set() for _ in call.specs]  # by tensor of the result: operands

    def run(self) -> list[Requirement]:
        if self._name == "__setitem__" and len(self._open_sizes()) > 0:
            self._split_on_sign()
        base = self._base()
        if base is None:
            return self._unconfirmed()
        self._check_fragment(base)
        requires = [r for relation in self._relations for r in self._checks(relation, base)]
        for symbol in self._symbols:
            found = self._below(symbol, base)
            if found is not None:
                requires.append(found)
        return requires

    def _split_on_sign(self) -> None:
        """Slices count from the end below 0: torch says how long they are where signs are known."""
        numbers = [o.size for o in self._call.operands if isinstance(o, Sized)]
        signed = [size for size in numbers if size_relation_splits("<", size, 0)]
        if 0 < len(signed) <= 2:  # of more there would be too many paths
            raise SizeSplit("<", signed[0], 0)

    def _unconfirmed(self) -> list[Requirement]:
        self._split_on_sign()
        raise LeafRefused(
            "no sizes were found at which eager does what torch says of this call",
            "leave a dimension out of dynamic_shapes",
            reads=self._takes_sizes_from_tensors(),
        )

    def _takes_sizes_from_tensors(self) -> bool:
        """x.view(n, 2) with a tensor n: it reads n, and the call on the number can be tried."""
        given = [o.spec for o in self._call.operands[1:] if isinstance(o, TensorSlot)]
        return self._name in _TAKE_SIZES_ONLY and any(
            spec.shape == () and not spec.dtype.is_floating_point for spec in given
        )

    def split_where_it_works(self, base: Assignment) -> None:
        """torch's word is for sizes from 2 on; and -1 often stands for whatever fits."""
        for symbol, (smallest, largest) in self._ranges.items():
            for value in (-1, 0, 1):
                inside = smallest <= value <= largest
                outcome = self.eager({**base, symbol: value}) if inside else None
                if inside and not isinstance(outcome, Exception):
                    raise SizeSplit("==", symbol, -1) if largest == -1 else SizeSplit("<", symbol, 2)
                if value < 0 <= largest and inside and type(outcome) is not type(self.eager(base)):
                    raise SizeSplit("<", symbol, 0)
        small = [symbol for symbol, (smallest, _) in self._ranges.items() if 0 <= smallest < 2]
        for values in itertools.product((0, 1), repeat=min(len(small), 4)):
            together = {**base, **dict(zip(small, values, strict=False))}
            inside = all(self._ranges[s][0] <= v <= self._ranges[s][1] for s, v in together.items())
            if inside and not isinstance(self.eager(together), Exception):
                raise SizeSplit("<", small[0], 2)

    # ---- what torch took for granted
    def _assumed(self) -> Iterator[_Relation]:
        assert self._sizing.env is not None
        for assertion in self._sizing.env.assertions():
            yield _Relation(*assertion)

    def _is_certain(self, relation: _Relation) -> bool:
        if size_relation_holds(relation.relation, relation.left, relation.right) is True:
            return True
        least = {"<=": 0, "<": 1, ">=": 0, ">": 1}.get(relation.relation)
        sign = 1 if relation.relation in (">=", ">") else -1
        apart = sign * (relation.left - relation.right)
        more = [apart - size for size in self._open_sizes()]
        return least is not None and any(isinstance(rest, int) and rest >= least for rest in more)

    def _open_sizes(self) -> list[Any]:
        """Of operands: none is negative, though a difference of numbers may be a size."""
        specs = [operand.spec for operand in self._call.operands if isinstance(operand, TensorSlot)]
        return [size for spec in specs for size in spec.shape if not isinstance(size, int)]

    def _holds(self, values: Assignment) -> bool:
        return self._can_be(values) and all(relation.holds(values) for relation in self._relations)

    def _can_be(self, values: Assignment) -> bool:
        found = (value_at(size, values) for size in self._open_sizes())
        numbers = (o.size for o in self._call.operands if isinstance(o, Sized))
        return all(size is not None and size >= 0 for size in found) and all(
            value_at(number, values) is not None for number in numbers
        )

    # ---- sizes to try
    def _pool(self, symbol: SizeExpr) -> list[int]:
        smallest, largest = self._ranges[symbol]
        found = [v for v in _COMMON if max(smallest, 2) <= v <= largest]
        first = max(smallest, 2)
        found = found or [v for v in (first, first + 1, first + 2, 2 * first) if v <= largest]
        return found or [*(v for v in (1, 0, -1, -2, -3) if smallest < v <= largest), smallest]

    def _candidates(self, fixed: Assignment) -> Iterator[Assignment]:
        """Assignments under which what torch assumed holds; with different sizes first."""
        pools = [[fixed[s]] if s in fixed else self._pool(s) for s in self._symbols]
        made = list(itertools.islice(itertools.product(*pools), _MOST_TRIED))
        made.sort(key=lambda values: len(values) - len(set(values)))
        for values in made:
            assignment = dict(zip(self._symbols, values, strict=True))
            if self._holds(assignment):
                yield assignment

    def where_it_raises(self) -> Assignment | None:
        """None: eager does not, for sizes that `split_where_it_works` does not tell apart."""
        candidates = list(self._candidates({}))
        plain = [a for a in candidates if not {-1, 0, 1} & set(a.values())]
        tried_first = plain[:1] or candidates[:10]
        return next((a for a in tried_first if isinstance(self.eager(a), Exception)), None)

    def _base(self) -> Assignment | None:
        for assignment in itertools.islice(self._candidates({}), 40):
            if self._agrees(assignment):
                return assignment
        return None

    # ---- running
    def eager(self, values: Assignment) -> Any:
        """Its tensors, or the exception; None: too large to try, or not possible."""
        key = tuple(values[s] for s in self._symbols)
        if key not in self._outcomes:
            self._outcomes[key] = self._eager(values)
        return self._outcomes[key]

    def _eager(self, values: Assignment) -> Any:
        call = self._call
        specs = [o.spec for o in call.operands if isinstance(o, TensorSlot)]
        if not self._can_be(values) or sum(_elements(spec, values) for spec in specs) > MOST_ELEMENTS:
            return None
        given = {
            id(o): self.real(o, values) for o in call.operands if not isinstance(o, (torch.Tensor, Lifted))
        }
        try:
            with torch.no_grad():
                result = replace(call.function, given)(
                    *replace(call.args, given), **replace(call.kwargs, given)
                )
        except Exception as error:
            return error
        tensors = tensors_of(result)
        self._note_aliases(tensors, given)
        return tensors

    def _note_aliases(self, tensors: list[torch.Tensor], given: dict[int, Any]) -> None:
        """A result may share memory with an operand at some sizes only, as reshape's does."""
        owners: dict[int, list[int]] = {}
        for number, operand in enumerate(self._call.operands):
            real = given.get(id(operand), operand)
            if isinstance(real, torch.Tensor):
                owners.setdefault(storage_id(real), []).append(number)
        for found, tensor in zip(self.aliases, tensors, strict=False):
            found.update(owners.get(storage_id(tensor), ()))

    def real(self, operand: Any, values: Assignment) -> Any:
        if isinstance(operand, TensorSlot):
            spec = operand.spec
            shape = tuple(_at(size, values) for size in spec.shape)
            stride = tuple(_at(size, values) for size in spec.stride)
            return made_up(shape, stride, spec.dtype)
        if isinstance(operand, Sized):
            return _at(operand.size, values)
        if isinstance(operand, ScalarSlot):
            return {"bool": True, "int": 1, "float": 1.0}[operand.kind]
        return operand.value if isinstance(operand, Lifted) else operand

    def _agrees(self, values: Assignment) -> bool:
        """Does eager what was typed?"""
        outcome = self.eager(values)
        if outcome is None:
            return True
        if isinstance(outcome, Exception):
            return self._call.lowered is not None and bool(self._call.lowered.checks)
        return self._as_typed(outcome, values)

    def _as_typed(self, found: list[torch.Tensor], values: Assignment) -> bool:
        if len(found) != len(self._call.specs):
            return False
        known = dict(values)
        for tensor, spec in zip(found, self._call.specs, strict=True):
            if tensor.dtype != spec.dtype or tensor.dim() != len(spec.shape):
                return False
            for size, wanted in zip(tensor.shape, spec.shape, strict=True):
                if not isinstance(wanted, int) and wanted.is_symbol and wanted not in known:
                    known[wanted] = size  # made up by torch: any number
                if value_at(wanted, known) != size:
                    return False
        return True

    def _check_fragment(self, base: Assignment) -> None:
        outcome = self.eager(base)
        if self._fragment is None or outcome is None or isinstance(outcome, Exception):
            self._fragment = None
            return
        verdict = self._lowered_right(base, outcome)
        if verdict is None:
            self._fragment = None
        elif not verdict:
            self._compares = False
            if not self._lowered_right(base, outcome):
                raise LeafRefused("its lowered form gives results of other sizes", "use another operation")

    def _lowered_right(self, values: Assignment, expected: list[torch.Tensor]) -> bool | None:
        assert self._fragment is not None
        real = [self.real(operand, values) for operand in self._call.operands]
        wanted = [expected[i] for i in self._call.outputs]
        return self._fragment.agrees(real, wanted, self._compares)

    def _lowered_raises(self, values: Assignment) -> bool:
        """By its checks: a backend that fails, as at reading from nothing, hides what they found."""
        if self._fragment is None:
            return True
        return self._fragment.raises([self.real(operand, values) for operand in self._call.operands])

    def _always_raises(self, values: Assignment) -> bool:
        """Also where all that is not empty in this trial is: no index, nothing to write."""
        smallest = {symbol: max(self._ranges[symbol][0], 0) for symbol in self._symbols}
        least = {s: v if v == 0 else smallest[s] for s, v in values.items()}
        return not self._holds(least) or isinstance(self.eager(least), Exception)

    def _as_checks_say(self, error: Exception) -> Exception:
        """Eager's message may show a number of this trial's, which the call will not have."""
        checks = self._call.lowered.checks if self._call.lowered is not None else []
        made_up_numbers = any(map(_is_made_up_number, self._call.operands))
        same = [check for check in checks if check.exception == type(error).__name__]
        return type(error)(same[0].message) if made_up_numbers and same else error

    # ---- what differs below
    def _problem(self, values: Assignment) -> Any:
        """None: all is well. An exception of eager's, or True for another difference."""
        outcome = self.eager(values)
        if outcome is None:
            return None
        if isinstance(outcome, Exception):
            if self._agrees(values) and (self._lowered_raises(values) or not self._always_raises(values)):
                return None
            return self._as_checks_say(outcome)
        if not self._as_typed(outcome, values):
            return True
        if self._fragment is not None and not self._lowered_right(values, outcome):
            return True
        return None

    def _problem_at(self, symbol: SizeExpr, value: int, base: Assignment) -> Any:
        alone = {**base, symbol: value}
        if self._holds(alone):
            return self._problem(alone)
        outcome = self.eager(alone)
        if outcome is not None and not isinstance(outcome, Exception):
            return True  # torch excludes what eager allows
        relations = [r for r in self._relations if not r.holds(alone)]
        if all(r.symbols == (symbol,) for r in relations):
            return None  # checked for
        free = {s: v for s, v in base.items() if not any(s in r.symbols for r in relations)}
        for other in itertools.islice(self._candidates({**free, symbol: value}), 1):
            return self._problem(other)
        return self._problem_of_equal(symbol, value, base)

    def _problem_of_equal(self, symbol: SizeExpr, value: int, base: Assignment) -> Any:
        """All sizes that are tied to this one take its value."""
        tied = {s for r in self._relations if symbol in r.symbols for s in r.symbols}
        together = {s: value if s in tied else v for s, v in base.items()}
        inside = all(self._ranges[s][0] <= value <= self._ranges[s][1] for s in tied)
        return self._problem(together) if inside and self._holds(together) else None

    def _below(self, symbol: SizeExpr, base: Assignment) -> Requirement | None:
        smallest, largest = self._ranges[symbol]
        tried_values = [
            v for v in ((-1,) if smallest < 0 else ()) + tuple(_SMALL) if smallest <= v <= largest
        ]
        problems = {v: p for v in tried_values if (p := self._problem_at(symbol, v, base)) is not None}
        if not problems:
            return None
        last = max(problems)
        if last == _SMALL[-1]:
            last = self._threshold(symbol, base, problems)
        first = next((v for v in tried_values if self._can_be({**base, symbol: v})), 0)
        prefix = list(problems) == list(range(first, first + len(problems)))
        raised = all(isinstance(p, Exception) for p in problems.values())
        never_below = smallest >= first or not self._can_be({**base, symbol: first - 1})
        if prefix and never_below and raised and len({type(p) for p in problems.values()}) == 1:
            others = self._numbers_named() | {v for other, v in base.items() if other != symbol}
            shown = max(problems, key=lambda v: (v not in others, v))
            relation = _Relation(">=", symbol, last + 1)
            return self.requirement(relation, {**base, symbol: shown}, problems[shown])
        if last >= _SMALL[-1] or (largest <= last and smallest not in problems):
            self._unconfirmed()
        if list(problems) == [smallest] or largest <= last:
            raise SizeSplit("==", symbol, smallest)
        raise SizeSplit("<", symbol, last + 1)

    def _threshold(self, symbol: SizeExpr, base: Assignment, problems: dict[int, Any]) -> int:
        for value in range(_SMALL[-1] + 1, _LAST_THRESHOLD):
            problem = self._problem_at(symbol, value, base)
            if problem is None:
                return value - 1
            problems[value] = problem
        return _LAST_THRESHOLD

    # ---- checks
    def _checks(self, relation: _Relation, base: Assignment) -> Iterator[Requirement]:
        """Of the relation; and before, of numbers at which eager says something else: 0 where it is divided
        by, and -1, which stands for whatever fits."""
        found = self._checked(relation, base)
        for symbol, value in itertools.product(relation.symbols, (0, -1)):
            smallest, largest = self._ranges[symbol]
            values = {**base, symbol: value}
            is_defined = relation.is_defined(values)
            if not smallest <= value <= largest or (is_defined and relation.symbols != (symbol,)):
                continue
            outcome = self.eager(values)
            if isinstance(outcome, Exception) and not relation.holds(values):
                special = self.requirement(_Relation("!=", symbol, value), values, outcome)
                differs = special.exception != found.exception
                differs = differs or (value < 0 and special.message != found.message)
                if differs or not is_defined:
                    yield special
        yield found

    def _checked(self, relation: _Relation, base: Assignment) -> Requirement:
        others = [r for r in self._relations if r is not relation]
        literals = self._numbers_named()
        candidates = (*_STRIKING, *_COMMON, 3, 2, 1, 0, -3, -1)
        of_several: Requirement | None = None
        for symbol in relation.symbols:
            taken = {*literals, *base.values()}  # numbers that a message could mean something else by
            for value in sorted(candidates, key=taken.__contains__):
                smallest, largest = self._ranges[symbol]
                values = {**base, symbol: value}
                if not smallest <= value <= largest or relation.holds(values):
                    continue
                outcome = self.eager(values)
                if isinstance(outcome, Exception):
                    if value < 2 or all(r.holds(values) for r in others):
                        return self.requirement(relation, values, outcome)
                    of_several = of_several or self.requirement(relation, values, outcome)
                elif value >= 2 and outcome is not None:
                    text = f"{relation.left} {relation.relation} {relation.right}"
                    raise LeafRefused(f"torch takes for granted that {text}", "fix one of the sizes")
        message = "the sizes of the operands do not fit each other"
        return of_several or Requirement(
            relation.relation, relation.left, relation.right, "RuntimeError", message, []
        )

    def requirement(self, relation: _Relation, values: Assignment, error: Exception) -> Requirement:
        kind = type(error)
        exception = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}:{kind.__name__}"
        others = self._other_messages(relation, values, error)
        compared = [size for r in (relation, *self._relations) for size in (r.left, r.right)]
        compared += self._ends_of_slices()
        message, fields = self._template(str(error), values, compared, others)
        return Requirement(relation.relation, relation.left, relation.right, exception, message, fields)

    def _other_messages(
        self, relation: _Relation, values: Assignment, error: Exception
    ) -> list[tuple[list[int], Assignment]]:
        """The numbers that eager shows where one size is another: what a number is follows from all."""
        found = []
        for others in self._nearby(values):
            if relation.holds(others):
                continue
            outcome = self.eager(others)
            if type(outcome) is type(error) and _without_numbers(outcome) == _without_numbers(error):
                found.append(([int(number) for number in _NUMBER.findall(str(outcome))], others))
        return found

    def _nearby(self, values: Assignment) -> Iterator[Assignment]:
        """One size is another, or two are."""
        for first, second in itertools.combinations_with_replacement(self._symbols[:4], 2):
            for steps in itertools.product((1, -1, -3, 7), repeat=1 if first is second else 2):
                moved = zip((first, second), steps, strict=False)
                others = values | {symbol: values[symbol] + step for symbol, step in moved}
                if all(self._ranges[s][0] <= others[s] <= self._ranges[s][1] for s in (first, second)):
                    yield others

    def _ends_of_slices(self) -> Iterator[Size]:
        """x[:n] has as many rows as x, or n."""
        slices = self._name in ("__getitem__", "__setitem__")
        numbers = [o.size for o in self._call.operands if isinstance(o, Sized) and slices]
        fixed = {size for o in self._call.operands for size in _shape(o) if isinstance(size, int)}
        return (min_of_sizes([size, number]) for size in fixed for number in numbers)

    def _numbers_named(self) -> set[int]:
        """That a message may show for another reason than the size that is tried."""
        shapes = map(_shape, self._call.operands)
        fixed = {size for shape in shapes for size in shape if isinstance(size, int)}
        return fixed | _literals((self._call.args, self._call.kwargs))

    def _template(
        self,
        message: str,
        values: Assignment,
        compared: list[Size],
        others: list[tuple[list[int], Assignment]],
    ) -> tuple[str, list[Size]]:
        """The message with a field for every number that a size explains."""
        known: dict[int, set[Size]] = {n: {n} for n in _literals((self._call.args, self._call.kwargs))}
        for operand in self._call.operands:
            shape = _shape(operand)
            whole = product_of(shape)
            single = (operand.size,) if isinstance(operand, Sized) else ()
            for size in (*shape, whole, *single):
                value = value_at(size, values)
                if value is not None:
                    known.setdefault(value, set()).add(size)
        results = [size for spec in self._call.specs for size in spec.shape if not isinstance(size, int)]
        known_results = [size for size in results if set(size.symbols) <= set(self._symbols)]
        for size in (*compared, *known_results):
            value = None if isinstance(size, int) else value_at(size, values)
            if value is not None:
                known.setdefault(value, set()).add(size)
        fields: list[Size] = []
        places = itertools.count()

        def field(match: re.Match[str]) -> str:
            candidates = known.get(int(match.group()), set())
            place = next(places)
            for shown, elsewhere in others:
                candidates = {size for size in candidates if value_at(size, elsewhere) == shown[place]}
            found = [size for size in candidates if not isinstance(size, int)]
            if len(found) != 1 or len(candidates) != 1:
                return match.group()
            fields.append(found[0])
            return "{}"

        text = _NUMBER.sub(field, message.replace("{", "{{").replace("}", "}}"))
        return text, fields


_NUMBER = re.compile(r"-?\d+")


def _without_numbers(error: Exception) -> str:
    return _NUMBER.sub("", str(error))


def _is_made_up_number(operand: Any) -> bool:
    whole = isinstance(operand, TensorSlot) and not operand.spec.dtype.is_floating_point
    return whole or isinstance(operand, ScalarSlot)


def _shape(operand: Any) -> tuple[Size, ...]:
    if isinstance(operand, torch.Tensor):
        return tuple(operand.shape)
    return operand.spec.shape if isinstance(operand, TensorSlot) else ()


def _literals(value: Any) -> set[int]:
    """Ints that the call names itself."""
    if type(value) is int:
        return {value}
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (tuple, list)) else ()
    return {number for part in parts for number in _literals(part)}


def _at(size: Size, values: Assignment) -> int:
    found = value_at(size, values)
    assert found is not None
    return found


def _elements(spec: TensorSpec, values: Assignment) -> int:
    total = 1
    for size in spec.shape:
        total *= _at(size, values)
    return total
