# SPDX-License-Identifier: Apache-2.0
"""Random numbers as formulas of base draws, which are inputs of the program (randomness="inputs").

The machine interprets these formulas, and dycl.verify runs the same text in eager (verification/replay.py)
where torch would draw. A base draw is uniform in [0, 1), standard normal, or exponential with rate 1. The
formulas follow ATen, so that an eager run of torch's own code around them gives the same numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import torch
from torch.nn import functional, init

from .refused import Refused

_OTHER_STREAM = "a program knows no generators: leave it out, and give the program its draws"
_LARGEST_RANGE = 2**53  # of whole numbers that a uniform float64 tells apart
# How C++ and torch call the types.
_NAMES = {
    torch.float16: ("c10::Half", "Half"),
    torch.bfloat16: ("c10::BFloat16", "BFloat16"),
    torch.float32: ("float", "Float"),
    torch.float64: ("double", "Double"),
}
_FLOATS = tuple(_NAMES)

_taking: ContextVar[Callable[..., Any]] = ContextVar("taking")  # in eager: who has the draws


@contextmanager
def taking_from(take: Callable[..., Any]) -> Iterator[None]:
    """Inside, `base` returns what `take` does."""
    token = _taking.set(take)
    try:
        yield
    finally:
        _taking.reset(token)


def base(kind: Any, shape: Any, dtype: Any) -> Any:
    """A new tensor of base draws; the machine has a function of its own."""
    return _taking.get()(kind, tuple(shape), dtype)


def raise_if(flag: Any, message: Any) -> Any:
    """A RuntimeError where the flag is true; the machine has a function of its own."""
    with torch._C.DisableTorchFunction():  # the program takes no decision here
        if flag:
            raise RuntimeError(message)


def is_known_beyond(number: Any, limit: Any) -> Any:
    """Of numbers that depend on the input it says False: the machine has a function of its own."""
    return number > limit


def _refuse_options(options: Any) -> Any:
    """What is left are dtype and memory_format."""
    if options.pop("generator", None) is not None:
        raise Refused("random numbers are drawn from a torch.Generator", _OTHER_STREAM)
    if options.pop("out", None) is not None:
        raise Refused("random numbers are drawn into out=", "assign the result instead")
    if options.pop("requires_grad", False):
        raise Refused("a tensor that requires gradients is made", "leave requires_grad out")
    options.pop("pin_memory", None)
    device = options.pop("device", None)
    if device is not None and torch.device(device).type != "cpu":
        raise Refused("random numbers are drawn on another device than the CPU", "leave device out")
    if options.pop("layout", torch.strided) not in (torch.strided, None):
        raise Refused("a tensor that is not dense is drawn", "leave layout out")
    if options.pop("names", None) is not None:
        raise Refused("a tensor with named dimensions is drawn", "leave names out")
    return options


def _require_float(dtype: Any) -> Any:
    if dtype not in _FLOATS:
        raise Refused("random numbers are drawn that are no real floats", "draw floats, and convert them")


def _require_numbers(*numbers: Any) -> Any:
    for number in numbers:
        if isinstance(number, torch.Tensor):
            raise Refused("a tensor says how random numbers are distributed", "give a number: t.item()")


def _uniform_for(dtype: Any) -> Any:
    """The dtype of uniform numbers that are compared with probabilities."""
    return torch.float64 if dtype is torch.float64 else torch.float32


def _filled(target: Any, values: Any) -> Any:
    target.copy_(values)
    return target


# --- uniform, normal, exponential ---------------------------------------------------------------------------


def _new(size: Any, options: Any) -> Any:
    """Memory of the type and shape that is asked for."""
    options = _refuse_options(options)
    if options.get("dtype") is not None:
        _require_float(options["dtype"])
    return torch.empty(*size, **options)


def rand(*size: Any, **options: Any) -> Any:
    made = _new(size, options)
    return base("uniform", made.shape, made.dtype)


def randn(*size: Any, **options: Any) -> Any:
    made = _new(size, options)
    return base("normal", made.shape, made.dtype)


def rand_like(input: Any, **options: Any) -> Any:
    return uniform_(torch.empty_like(input, **_refuse_options(options)))


def randn_like(input: Any, **options: Any) -> Any:
    return normal_(torch.empty_like(input, **_refuse_options(options)))


def uniform_(self: Any, *ends: Any, **options: Any) -> Any:
    low = ends[0] if len(ends) > 0 else options.pop("from", 0.0)
    high = ends[1] if len(ends) > 1 else options.pop("to", 1.0)
    _refuse_options(options)
    _require_float(self.dtype)
    _require_numbers(low, high)
    _check_ends(low, high, self.dtype)
    draws = base("uniform", self.shape, self.dtype)
    plain = isinstance(low, (int, float)) and low == 0 and high == 1
    return _filled(self, draws if plain else draws * (high - low) + low)


def _check_ends(low: Any, high: Any, dtype: Any) -> Any:
    most = torch.finfo(dtype).max
    of_c, of_torch = _NAMES[dtype]
    if not (low >= -most and low <= most):
        raise RuntimeError(f"from is out of bounds for {of_c}")
    if not (high >= -most and high <= most):
        raise RuntimeError(f"to is out of bounds for {of_c}")
    if low > high:
        raise RuntimeError(
            f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}"
        )
    if high - low > most:
        raise RuntimeError(
            f"uniform_ expects to-from <= std::numeric_limits<{of_torch}>::max(), but found to={high:g} and "
            f"from={low:g} which result in to-from to exceed the limit"
        )


def normal_(self: Any, mean: Any = 0.0, std: Any = 1.0, **options: Any) -> Any:
    _refuse_options(options)
    _require_float(self.dtype)
    _require_numbers(mean, std)
    if not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    return _filled(self, base("normal", self.shape, self.dtype) * std + mean)


def exponential_(self: Any, lambd: Any = 1.0, **options: Any) -> Any:
    _refuse_options(options)
    _require_float(self.dtype)
    _require_numbers(lambd)
    if not lambd > 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={lambd:g}")
    return _filled(self, base("exponential", self.shape, self.dtype) / lambd)


def normal(mean: Any = 0.0, std: Any = 1.0, size: Any = None, **options: Any) -> Any:
    if size is not None:
        return normal_(torch.empty(size, **_refuse_options(options)), mean, std)
    _refuse_options(options)
    if isinstance(std, torch.Tensor):
        _require_float(std.dtype)
        raise_if(~(std >= 0).all(), "normal expects all elements of std >= 0.0")
    elif not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")
    if not isinstance(mean, torch.Tensor):
        return base("normal", std.shape, std.dtype).mul_(std).add_(mean)
    _require_float(mean.dtype)
    return base("normal", (mean + std).shape, mean.dtype).mul_(std).add_(mean)


# --- whole numbers ------------------------------------------------------------------------------------------


def _whole_numbers(shape: Any, dtype: Any, low: Any, high: Any) -> Any:
    """floor(u * (high - low)) + low of a float64 u, which has 53 bits: of a larger range, which only a number
    that depends on the input may give, not all are drawn."""
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    span = high - low
    if is_known_beyond(span, _LARGEST_RANGE):
        raise Refused("random integers of a range beyond 2**53 are drawn", "draw from a smaller range")
    least, most = _ends(dtype)
    beyond = is_known_beyond(least, low) or is_known_beyond(high - 1, most)
    if beyond or (dtype is not torch.int64 and (low < least or high - 1 > most)):
        raise Refused(f"random integers beyond those of {dtype} are drawn", "draw from a smaller range")
    draws = base("uniform", shape, torch.float64) * span
    return (draws.floor().to(torch.int64).clamp(max=span - 1) + low).to(dtype)


def _ends(dtype: Any) -> Any:
    if dtype in _CONSECUTIVE:
        return -_CONSECUTIVE[dtype], _CONSECUTIVE[dtype]
    return (0, 1) if dtype is torch.bool else (torch.iinfo(dtype).min, torch.iinfo(dtype).max)


def _require_whole(*numbers: Any) -> Any:
    for number in numbers:
        if not isinstance(number, int):
            raise Refused("the ends of random integers are not ints", "give ints: n.item()")


def randint(*arguments: Any, **options: Any) -> Any:
    """randint(high, size) and randint(low, high, size)."""
    given = list(arguments)
    size = options.pop("size") if "size" in options else given.pop()
    high = options.pop("high") if "high" in options else given.pop()
    low = options.pop("low", 0) if not given else given.pop()
    _require_whole(low, high)
    made = torch.empty(size, **{"dtype": torch.int64, **_refuse_options(options)})
    return _whole_numbers(made.shape, made.dtype, low, high)


def randint_like(input: Any, *ends: Any, **options: Any) -> Any:
    given = list(ends)
    high = options.pop("high") if "high" in options else given.pop()
    low = options.pop("low", 0) if not given else given.pop()
    _require_whole(low, high)
    made = torch.empty_like(input, **_refuse_options(options))
    return _filled(made, _whole_numbers(made.shape, made.dtype, low, high))


def random_(self: Any, *ends: Any, **options: Any) -> Any:
    """random_() draws from all numbers of the dtype from 0 on, of floats up to 2**24 or the like."""
    given = list(ends)
    high = options.pop("to") if "to" in options else (given.pop() if given else None)
    low = options.pop("from", 0) if not given else given.pop()
    _refuse_options(options)
    if high is None:
        high = 1 + _largest(self.dtype)
    _require_whole(low, high)
    return _filled(self, _whole_numbers(self.shape, self.dtype, low, high))


_CONSECUTIVE = {torch.float16: 2**11, torch.bfloat16: 2**8, torch.float32: 2**24, torch.float64: 2**53}


def _largest(dtype: Any) -> Any:
    if dtype is torch.bool:
        return 1
    return _CONSECUTIVE[dtype] if dtype in _CONSECUTIVE else torch.iinfo(dtype).max


def randperm(n: Any, **options: Any) -> Any:
    """The order of n pairs of uniform numbers, so that hardly two are equal."""
    dtype = _refuse_options(options).pop("dtype", None)
    dtype = torch.int64 if dtype is None else dtype
    _require_whole(n)
    if dtype is torch.bool or n - 1 > _largest(dtype):
        raise Refused(f"a permutation does not fit into {dtype}", "leave dtype out")
    first, second = base("uniform", (2, *torch.empty(n).shape), torch.float32).unbind(0)
    order = torch.sort(second, stable=True)[1]
    order = order.gather(0, torch.sort(first.gather(0, order), stable=True)[1])
    return order.to(dtype)


# --- probabilities ------------------------------------------------------------------------------------------

_NO_PROBABILITY = (
    "Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be improved?  "
    "If so, please report an enhancement request to PyTorch.)"
)


def bernoulli_(self: Any, p: Any = 0.5, **options: Any) -> Any:
    """1 where a uniform number is below p."""
    _refuse_options(options)
    if not isinstance(p, torch.Tensor):  # a probability per element
        if not (p >= 0 and p <= 1):
            raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
        return _filled(self, base("uniform", self.shape, _uniform_for(self.dtype)) < p)
    _require_float(p.dtype)
    chances = p.expand(self.shape)
    raise_if(~((p >= 0) & (p <= 1)).all(), _NO_PROBABILITY)
    return _filled(self, base("uniform", self.shape, _uniform_for(p.dtype)) < chances)


def bernoulli(input: Any, p: Any = None, **options: Any) -> Any:
    _refuse_options(options)
    made = torch.empty_like(input, memory_format=torch.contiguous_format)
    return bernoulli_(made, input if p is None else p)


def _dropout(input: Any, p: Any, train: Any, in_place: Any, noise_shape: Any, alpha: Any) -> Any:
    """As ATen's: the noise is 1 / (1 - p) with the probability 1 - p, else 0."""
    _require_numbers(p)
    if not (p >= 0 and p <= 1):
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {p:g}")
    if p == 0 or not train or input.numel() == 0:
        return input
    if p == 1:
        zero = torch.zeros((), dtype=input.dtype)
        return input.mul_(zero) if in_place else input * zero
    noise = torch.empty_like(input) if noise_shape is None else input.new_empty(noise_shape)
    bernoulli_(noise, 1 - p)
    if not alpha:
        noise.div_(1 - p)
        return input.mul_(noise) if in_place else input * noise
    limit = 1.7580993408473766
    scale = 1.0 / ((limit * limit * p + 1) * (1 - p)) ** 0.5
    shift = noise.add(-1).mul_(limit * scale).add_(limit * scale * p)
    noise.mul_(scale)
    return (input.mul_(noise) if in_place else input * noise).add_(shift)


def _shape_of_features(input: Any) -> Any:
    if input.dim() < 2:
        raise RuntimeError("Feature dropout requires at least 2 dimensions in the input")
    return (input.shape[0], input.shape[1], *[1 for _ in range(input.dim() - 2)])


def _dropout_model(in_place: bool, features: bool, alpha: bool) -> Callable[..., Any]:
    def dropout(input: Any, p: Any, train: Any) -> Any:
        draws = p > 0 and p < 1 and train
        shape = _shape_of_features(input) if features and draws else None
        return _dropout(input, p, train, in_place, shape, alpha)

    return dropout


# --- multinomial --------------------------------------------------------------------------------------------


def multinomial(input: Any, num_samples: Any, replacement: Any = False, **options: Any) -> Any:
    _refuse_options(options)
    if input.dim() not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    _require_float(input.dtype)
    if num_samples <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and num_samples > input.shape[-1]:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    if input.shape[-1] > 2**24:
        raise RuntimeError("number of categories cannot exceed 2^24")
    if input.numel() == 0:
        raise Refused("multinomial() of no probabilities", "give it at least one")
    if replacement and num_samples > 1:
        return _looked_up(input, num_samples)
    return _raced(input, num_samples)


def _raced(input: Any, num_samples: Any) -> Any:
    """An exponential clock per class, as fast as its probability: the first ones to ring. A class without
    probability has none."""
    invalid = "probability tensor contains either `inf`, `nan` or element < 0"
    raise_if(~((input >= 0) & (input < float("inf"))).all(), invalid)
    empty = "invalid multinomial distribution (sum of probabilities <= 0)"
    raise_if(~(input > 0).any(-1).all(), empty)
    dtype = _uniform_for(input.dtype)
    speed = input.to(dtype) / base("exponential", input.shape, dtype)
    speed = torch.where(input > 0, speed, torch.full((), -1.0, dtype=dtype))
    if num_samples == 1:
        return speed.argmax(-1, keepdim=True)
    return torch.sort(speed, dim=-1, descending=True, stable=True)[1][..., :num_samples].contiguous()


def _looked_up(input: Any, num_samples: Any) -> Any:
    """The first class with a probability whose share of the sum, added to all before it, exceeds a uniform
    number."""
    _refuse_probabilities(input)
    shares = input.to(torch.float64).cumsum(-1).unsqueeze(-2)
    chosen = (input > 0).unsqueeze(-2)
    whole = torch.where(chosen, shares, torch.zeros((), dtype=torch.float64)).amax(-1)
    shape = (num_samples,) if input.dim() == 1 else (input.shape[0], num_samples)
    limits = (base("uniform", shape, torch.float64) * whole).unsqueeze(-1)
    return ((shares > limits) & chosen).to(torch.uint8).argmax(-1)


def _refuse_probabilities(input: Any) -> Any:
    """ATen goes through each row, and then asks for its sum: what it meets first is the error."""
    infinite = (input == float("inf")).to(torch.int64) * 2
    wrong = torch.where(input >= 0, infinite, torch.ones((), dtype=torch.int64))
    empty = (~(input > 0).any(-1, keepdim=True)).to(torch.int64) * 3
    met = torch.cat([wrong, empty], -1).flatten()
    first = met.gather(0, (met > 0).to(torch.uint8).argmax(0, keepdim=True)).squeeze(0)
    start = "invalid multinomial distribution"
    raise_if(first == 1, f"{start} (encountering probability entry < 0)")
    raise_if(first == 2, f"{start} (encountering probability entry = infinity or NaN)")
    raise_if(first == 3, f"{start} (sum of probabilities <= 0)")


# Functions of torch in C. Its functions in Python that call these are followed.
_FACTORIES = "rand randn rand_like randn_like randint randint_like randperm normal bernoulli multinomial"
_METHODS = "uniform_ normal_ exponential_ random_ bernoulli_ bernoulli multinomial"
MODELS: dict[object, Callable[..., Any]] = {
    **{getattr(torch, name): globals()[name] for name in _FACTORIES.split()},
    **{getattr(torch.Tensor, name): globals()[name] for name in _METHODS.split()},
    **{
        getattr(torch, f"{feature}{alpha}dropout{end}"): _dropout_model(bool(end), bool(feature), bool(alpha))
        for feature in ("", "feature_")
        for alpha in ("", "alpha_")
        for end in ("", "_")
    },
}
_PYTHON = "dropout dropout1d dropout2d dropout3d alpha_dropout feature_alpha_dropout gumbel_softmax"
FOLLOWED = frozenset(
    [getattr(functional, name) for name in _PYTHON.split()]
    + [init.uniform_, init.normal_, init.kaiming_uniform_]
)
