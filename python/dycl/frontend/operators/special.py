# SPDX-License-Identifier: Apache-2.0
"""Special functions: Bessel, Airy, polygamma and Chebyshev, by their series in f64, for f32 and integers.

The series are those of the Digital Library of Mathematical Functions, chapters 9, 10, 18 and 25. On
either side of a border one of two is good to f32: the power series, or the one in descending powers.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import torch

from dycl.frontend.operators.rules import RULES, Rule, Tensor, _digamma, refuse_if

Wide = Callable[[Tensor], Tensor]
_GAMMA = 0.57721566490153286


def _result_dtype(x: Tensor) -> torch.dtype:
    return x.dtype if x.is_floating_point() else torch.get_default_dtype()


def _unary(name: str, function: Wide) -> None:
    def call(x: Tensor) -> Tensor:
        refuse_if(x.dtype == torch.float64, name, "it is lowered for f32 only")
        return function(x.to(torch.float64)).to(_result_dtype(x))

    RULES[f"aten::{name}"] = call


def polynomial(u: Tensor, coefficients: Sequence[float]) -> Tensor:
    result = torch.full_like(u, coefficients[-1])
    for coefficient in reversed(coefficients[:-1]):
        result = result * u + coefficient
    return result


def _full(x: Tensor, value: float) -> Tensor:
    return torch.full_like(x, value)


def _held(x: Tensor, low: float, high: float) -> Tensor:
    """`x` where it lies between, else the nearer border: what is chosen elsewhere must not overflow."""
    return torch.minimum(torch.maximum(x, _full(x, low)), _full(x, high))


# --- Bessel functions -----------------------------------------------------------------------------------

_BORDER = 12.0
_TERMS = 32


def _psi(k: int) -> float:
    return sum(1 / j for j in range(1, k)) - _GAMMA


def _powers(order: int, sign: int, weight: Callable[[int], float] = lambda k: 1.0) -> list[float]:
    """Of (x/2)^2 in J (sign -1) and I (sign 1), without the factor (x/2)^order."""
    return [sign**k * weight(k) / math.factorial(k) / math.factorial(k + order) for k in range(_TERMS)]


@functools.cache
def _descending(order: int, count: int = 20) -> list[float]:
    """a_k(order): of 1/x^k, for large x."""
    terms = [1.0]
    for k in range(1, count):
        terms.append(terms[-1] * (4 * order**2 - (2 * k - 1) ** 2) / (8 * k))
    return terms


def _near(size: Tensor, order: int, sign: int, border: float = _BORDER) -> Tensor:
    """J or I for |x| up to the border."""
    held = _held(size, 0.0, border) / 2
    series = polynomial(held * held, _powers(order, sign))
    return series * held if order else series


def _modified_first(order: int, scaled: bool) -> Wide:
    def call(x: Tensor) -> Tensor:
        size = x.abs()
        near = _near(size, order, 1)
        far = _held(size, _BORDER, math.inf)
        signs = [(-1) ** k * a for k, a in enumerate(_descending(order))]
        tail = polynomial(1 / far, signs) / torch.sqrt(2 * math.pi * far)
        if scaled:
            result = torch.where(size <= _BORDER, near * torch.exp(-size), tail)
        else:
            growth = torch.exp(far.to(torch.float32)).to(torch.float64)  # as eager, which overflows here
            result = torch.where(size <= _BORDER, near, tail * growth)
        return torch.where(x < 0, -result, result) if order else result

    return call


def _modified_second(order: int, scaled: bool) -> Wide:
    border = 9.0

    def call(x: Tensor) -> Tensor:
        held = _held(x, 1e-300, border)
        u, log = held * held / 4, torch.log(held / 2)
        first = _near(held, order, 1, border)
        if order:
            rest = polynomial(u, _powers(1, 1, lambda k: _psi(k + 1) + _psi(k + 2)))
            near = 1 / held + log * first - held / 4 * rest
        else:
            near = polynomial(u, _powers(0, 1, lambda k: _psi(k + 1))) - log * first
        far = _held(x, border, math.inf)
        tail = polynomial(1 / far, _descending(order, 17)) * torch.sqrt(math.pi / 2 / far)
        near = near * torch.exp(held) if scaled else near
        tail = tail if scaled else tail * torch.exp(-far)
        result = torch.where(x <= border, near, tail)
        result = torch.where(x == 0, _full(x, math.inf), result)
        return torch.where(x < 0, _full(x, math.nan), result)

    return call


def _waves(size: Tensor, order: int, second: bool) -> Tensor:
    """J or Y for large x."""
    far = _held(size, _BORDER, math.inf)
    a = _descending(order)
    even = polynomial(1 / (far * far), [(-1) ** k * v for k, v in enumerate(a[::2])])
    odd = polynomial(1 / (far * far), [(-1) ** k * v for k, v in enumerate(a[1::2])]) / far
    angle = far - (order / 2 + 0.25) * math.pi
    cos, sin = torch.cos(angle), torch.sin(angle)
    wave = even * sin + odd * cos if second else even * cos - odd * sin
    return wave * torch.sqrt(2 / math.pi / far)


def _first(order: int) -> Wide:
    def call(x: Tensor) -> Tensor:
        size = x.abs()
        result = torch.where(size <= _BORDER, _near(size, order, -1), _waves(size, order, False))
        return torch.where(x < 0, -result, result) if order else result

    return call


def _second(order: int) -> Wide:
    def call(x: Tensor) -> Tensor:
        held = _held(x, 1e-300, _BORDER)
        u, log = held * held / 4, torch.log(held / 2)
        near = log * _near(held, order, -1) * 2
        if order:
            rest = polynomial(u, _powers(1, -1, lambda k: _psi(k + 1) + _psi(k + 2)))
            near = near - 2 / held - held / 2 * rest
        else:
            near = near - 2 * polynomial(u, _powers(0, -1, lambda k: _psi(k + 1)))
        result = torch.where(x <= _BORDER, near / math.pi, _waves(x, order, True))
        result = torch.where(x == 0, _full(x, -math.inf), result)
        return torch.where(x < 0, _full(x, math.nan), result)

    return call


def _spherical(x: Tensor) -> Tensor:
    return torch.where(
        x == 0, torch.ones_like(x), torch.where(torch.isinf(x), torch.zeros_like(x), torch.sin(x) / x)
    )


_AIRY_BORDER = 6.0
_AIRY_AT_ZERO = (0.35502805388781724, 0.25881940379280680)  # Ai(0), -Ai'(0)


def _airy_powers(start: int) -> list[float]:
    """Of x^3 in the two solutions of y'' = x y."""
    terms = [1.0]
    for k in range(1, 44):
        terms.append(terms[-1] / ((3 * k + start) * (3 * k + start - 1)))
    return terms


def _airy_descending() -> list[float]:
    terms = [1.0]
    for k in range(1, 18):
        terms.append(terms[-1] * (6 * k - 5) * (6 * k - 3) * (6 * k - 1) / (216 * k * (2 * k - 1)))
    return terms


def _airy(x: Tensor) -> Tensor:
    held = _held(x, -_AIRY_BORDER, _AIRY_BORDER)
    cube = held * held * held
    near = polynomial(cube, _airy_powers(0)) * _AIRY_AT_ZERO[0]
    near = near - polynomial(cube, _airy_powers(1)) * held * _AIRY_AT_ZERO[1]
    size = _held(x.abs(), _AIRY_BORDER, 1e30)
    root = torch.sqrt(size)
    zeta = size * root * 2 / 3
    u, quarter = _airy_descending(), torch.sqrt(root) * math.sqrt(math.pi)
    right = polynomial(1 / zeta, [(-1) ** k * v for k, v in enumerate(u)]) * torch.exp(-zeta) / (2 * quarter)
    even = polynomial(1 / (zeta * zeta), [(-1) ** k * v for k, v in enumerate(u[::2])])
    odd = polynomial(1 / (zeta * zeta), [(-1) ** k * v for k, v in enumerate(u[1::2])]) / zeta
    angle = zeta + math.pi / 4
    left = (even * torch.sin(angle) - odd * torch.cos(angle)) / quarter
    result = torch.where(x.abs() <= _AIRY_BORDER, near, torch.where(x > 0, right, left))
    # Eager's angle overflows in f32.
    lost = torch.isinf(x) | (x < 0) & (2 * x.abs() * torch.sqrt(x.abs()) > torch.finfo(torch.float32).max)
    return torch.where(lost, _full(x, math.nan), result)


_UNARY: dict[str, Wide] = {
    "i0": _modified_first(0, False),
    "special_i0e": _modified_first(0, True),
    "special_i1": _modified_first(1, False),
    "special_i1e": _modified_first(1, True),
    "special_modified_bessel_i0": _modified_first(0, False),
    "special_modified_bessel_i1": _modified_first(1, False),
    "special_modified_bessel_k0": _modified_second(0, False),
    "special_modified_bessel_k1": _modified_second(1, False),
    "special_scaled_modified_bessel_k0": _modified_second(0, True),
    "special_scaled_modified_bessel_k1": _modified_second(1, True),
    "special_bessel_j0": _first(0),
    "special_bessel_j1": _first(1),
    "special_bessel_y0": _second(0),
    "special_bessel_y1": _second(1),
    "special_spherical_bessel_j0": _spherical,
    "special_airy_ai": _airy,
}
for _name, _function in _UNARY.items():
    _unary(_name, _function)


# --- polygamma ------------------------------------------------------------------------------------------

_PI_F32 = 3.1415927410125732
_BERNOULLI = (1 / 6, -1 / 30, 1 / 42, -1 / 30, 5 / 66, -691 / 2730, 7 / 6)


def _hurwitz(s: int, q: Tensor) -> Tensor:
    """The sum of 1/(q+k)^s over all k, for q of at least 1/2, by Euler and Maclaurin."""
    shifted = [q + k for k in range(12)]
    result = functools.reduce(torch.add, [1 / _power(v, s) for v in shifted])
    a = q + 12
    result = result + _power(a, 1 - s) / (s - 1) + 0.5 * _power(a, -s)
    rising = float(s)
    for j, bernoulli in enumerate(_BERNOULLI, 1):
        result = result + bernoulli / math.factorial(2 * j) * rising * _power(a, 1 - s - 2 * j)
        rising *= (s + 2 * j - 1) * (s + 2 * j)
    return result


def _power(x: Tensor, exponent: int) -> Tensor:
    return torch.pow(x, float(exponent))


def _cotangent_derivative(n: int) -> list[float]:
    """Coefficients of the n-th derivative of cot, as a polynomial in cot."""
    terms = [0.0, 1.0]
    for _ in range(n):
        slope = [k * c for k, c in enumerate(terms)][1:]
        terms = [-(a + b) for a, b in zip([*slope, 0.0, 0.0], [0.0, 0.0, *slope], strict=True)]
    return terms


def _polygamma(n: int, x: Tensor) -> Tensor:
    if n == 0:
        return _digamma(x)
    refuse_if(x.dtype == torch.float64, "polygamma", "it is lowered for f32 only")
    refuse_if(n > 20, "polygamma", "it is lowered up to order 20")
    wide = x.to(torch.float64)
    left = wide < 0.5
    series = _hurwitz(n + 1, torch.where(left, 1 - wide, wide)) * math.factorial(n)
    if n == 1:  # eager has poles at 0 alone: elsewhere the sine of a rounded multiple of pi is not 0
        sine = torch.sin((wide * _PI_F32).to(torch.float32).to(torch.float64))
        result = torch.where(left, math.pi**2 / (sine * sine) - series, series)
        return result.to(_result_dtype(x))
    rest = math.pi * (wide - torch.round(wide))
    mirrored = polynomial(torch.cos(rest) / torch.sin(rest), _cotangent_derivative(n)) * math.pi ** (n + 1)
    # psi(x) = (-1)^n psi(1-x) - pi d/dx^n cot(pi x), where psi is the series times (-1)^(n+1)
    result = torch.where(left, -series - mirrored, series if n % 2 else -series)
    poles = (wide <= 0) & (rest == 0) | torch.isinf(wide) & left
    result = torch.where(poles, _full(wide, math.inf if n % 2 else -math.inf), result)
    return torch.where(wide == math.inf, _full(wide, math.nan), result).to(_result_dtype(x))


RULES["aten::polygamma"] = _polygamma


# --- Chebyshev polynomials ------------------------------------------------------------------------------


def _angle(cosine: Tensor) -> Tensor:
    """acos of f64: that of f32 and a step of Newton's method, because few backends have one."""
    angle = torch.acos(cosine.to(torch.float32)).to(torch.float64)
    sine = torch.sin(angle)
    return torch.where(sine == 0, angle, angle + (torch.cos(angle) - cosine) / sine)


def _chebyshev(kind: str, n: Tensor, y: Tensor) -> Tensor:
    """By the angle whose cosine is |y|, or the area beyond 1; the sign follows from the parity."""
    size = torch.minimum(y.abs(), _full(y, 1e150))
    inside = size <= 1
    angle, beyond = _angle(_held(size, 0.0, 1.0)), _held(size, 1.0, math.inf)
    area = torch.log(beyond + torch.sqrt((beyond - 1) * (beyond + 1)))

    def even(m: Any) -> Tensor:
        return torch.where(inside, torch.cos(m * angle), (torch.exp(m * area) + torch.exp(-m * area)) / 2)

    def odd(m: Any) -> Tensor:
        return torch.where(inside, torch.sin(m * angle), (torch.exp(m * area) - torch.exp(-m * area)) / 2)

    if kind == "t":
        result = even(n)
    elif kind == "u":
        result = torch.where(size == 1, n + 1, odd(n + 1) / odd(1))
    else:
        third, fourth = even(n + 0.5) / even(0.5), torch.where(size == 1, 2 * n + 1, odd(n + 0.5) / odd(0.5))
        result = torch.where((y < 0) == (kind == "v"), fourth, third)
    turned = (y < 0) & (n - 2 * torch.floor(n / 2) == 1)
    return torch.where(n == 0, torch.ones_like(n), torch.where(turned, -result, result))


def _chebyshev_rule(kind: str, shifted: bool) -> Rule:
    def call(x: Any, n: Any) -> Tensor:
        dtype = torch.result_type(x, n)
        dtype = dtype if dtype.is_floating_point else torch.get_default_dtype()
        refuse_if(dtype != torch.float32, "a Chebyshev polynomial", "it is lowered for f32 only")
        x, n = (v.to(dtype) if isinstance(v, Tensor) else torch.full((), v, dtype=dtype) for v in (x, n))
        y = (x + x - 1 if shifted else x).to(torch.float64)
        known = n.abs() < 2.0**63  # eager takes n as an integer, which neither NaN nor infinity is
        n = torch.trunc(torch.where(known, n, _full(n, -1.0))).to(torch.float64)
        y, n = y + torch.zeros_like(n), n + torch.zeros_like(y)  # of one shape
        result = _chebyshev(kind, n, y).to(dtype)
        # Eager's recurrence goes on from two infinities.
        overflown = torch.isinf(_chebyshev(kind, n - 2, y).to(dtype)) & (n > 2)
        result = torch.where(overflown, _full(result, math.nan), result)
        return torch.where(n < 0, torch.zeros_like(result), result)

    return call


for _kind in "tuvw":
    for _prefix in ("", "shifted_"):
        for _overload in ("", ".x_scalar", ".n_scalar"):
            _full_name = f"aten::special_{_prefix}chebyshev_polynomial_{_kind}{_overload}"
            RULES[_full_name] = _chebyshev_rule(_kind, bool(_prefix))
