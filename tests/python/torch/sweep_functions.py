# SPDX-License-Identifier: Apache-2.0
"""Functions of one number: every elementwise one of torch, and what people compose of them."""

import math

import torch
import torch.nn.functional as F  # noqa: N812

NAMES = {
    torch: """
        abs acos acosh angle asin asinh atan atanh ceil cos cosh deg2rad digamma erf erfc erfinv exp exp2
        expm1 floor frac i0 isfinite isinf isnan isneginf isposinf lgamma log log10 log1p log2 logit
        nan_to_num neg positive rad2deg reciprocal relu round rsqrt sgn sigmoid sign sin sinc sinh
        sqrt square tan tanh trunc
    """,
    torch.special: """
        airy_ai bessel_j0 bessel_j1 bessel_y0 bessel_y1 entr erfcx expit gammaln i0e i1 i1e log_ndtr
        modified_bessel_i0 modified_bessel_i1 modified_bessel_k0 modified_bessel_k1 ndtr ndtri psi
        scaled_modified_bessel_k0 scaled_modified_bessel_k1 spherical_bessel_j0
    """,
    F: """
        celu elu gelu hardshrink hardsigmoid hardswish hardtanh leaky_relu logsigmoid mish relu6 rrelu selu
        silu softplus softshrink softsign tanhshrink
    """,
}
NAMED = {name: getattr(module, name) for module, names in NAMES.items() for name in names.split()}


def pairs(x):
    return torch.stack([x, torch.zeros_like(x)], -1)


def wide(x):
    """Rows of 16."""
    return x.unsqueeze(-1) * torch.linspace(-1, 1, 16)


ARGUMENTS = {
    "celu of 2": lambda x: F.celu(x, 2.0),
    "elu of 0.5": lambda x: F.elu(x, 0.5),
    "gelu tanh": lambda x: F.gelu(x, approximate="tanh"),
    "hardshrink of 2": lambda x: F.hardshrink(x, 2.0),
    "hardtanh of 2": lambda x: F.hardtanh(x, -2.0, 3.0),
    "leaky_relu of 0.2": lambda x: F.leaky_relu(x, 0.2),
    "prelu": lambda x: F.prelu(x, torch.full((1,), 0.25, dtype=x.dtype)),
    "softplus of 2": lambda x: F.softplus(x, beta=2.0),
    "softplus of 3 up to 5": lambda x: F.softplus(x, 3.0, 5.0),
    "softshrink of 2": lambda x: F.softshrink(x, 2.0),
    "threshold": lambda x: F.threshold(x, 0.1, 20.0),
    "glu": lambda x: F.glu(torch.stack([x, x], -1)),
    "glu of a gate": lambda x: F.glu(torch.stack([torch.ones_like(x), x], -1)),
    "clamp": lambda x: x.clamp(-1, 1),
    "logit with eps": lambda x: torch.logit(x, 1e-6),
    "mvlgamma": lambda x: torch.mvlgamma(x.abs() + 1, 2),
    "polygamma 1": lambda x: torch.polygamma(1, x),
    "polygamma 2": lambda x: torch.polygamma(2, x),
    "zeta": lambda x: torch.special.zeta(x.abs() + 1.5, torch.ones_like(x)),
    "pow 2": lambda x: x**2,
    "pow 3": lambda x: x**3,
    "pow 0.5": lambda x: x**0.5,
    "pow -1": lambda x: x**-1,
    "pow -0.5": lambda x: x**-0.5,
    "pow 1.7": lambda x: x**1.7,
    "power of 2": lambda x: 2**x,
    "power of 0.3": lambda x: torch.pow(0.3, x),
    "float_power": lambda x: torch.float_power(x, 2),
    "atan2 of 1": lambda x: torch.atan2(x, torch.ones_like(x)),
    "atan2 below 1": lambda x: torch.atan2(torch.ones_like(x), x),
    "hypot of 1": lambda x: torch.hypot(x, torch.ones_like(x)),
    "hypot": lambda x: torch.hypot(x, x),
    "logaddexp of 0": lambda x: torch.logaddexp(x, torch.zeros_like(x)),
    "logaddexp of -x": lambda x: torch.logaddexp(x, -x),
    "logaddexp2": lambda x: torch.logaddexp2(x, torch.zeros_like(x)),
    "xlogy": lambda x: torch.xlogy(x, x),
    "xlogy of 2": lambda x: torch.xlogy(torch.full_like(x, 2), x),
    "xlog1py": lambda x: torch.special.xlog1py(x, x),
    "xlog1py of 2": lambda x: torch.special.xlog1py(torch.full_like(x, 2), x),
    "fmod": lambda x: torch.fmod(x, 1.5),
    "remainder": lambda x: torch.remainder(x, 1.5),
    "floor_divide": lambda x: x // 1.5,
    "divide": lambda x: x / 3,
    "divide below": lambda x: 3 / x,
    "heaviside": lambda x: torch.heaviside(x, torch.full((), 0.5, dtype=x.dtype)),
    "lerp": lambda x: torch.lerp(torch.ones_like(x), x, 0.3),
    "addcdiv": lambda x: torch.addcdiv(torch.ones_like(x), x, x + 3, value=0.1),
    "maximum": lambda x: torch.maximum(x, torch.full_like(x, 1e-8)),
    "ldexp": lambda x: torch.ldexp(x, torch.tensor(3)),
    "sign bit but of NaN": lambda x: (x < 0) | (1 / x < 0),
}
ROWS = {
    "softmax of two": lambda x: pairs(x).softmax(-1),
    "softmin of two": lambda x: F.softmin(pairs(x), -1),
    "log_softmax of two": lambda x: pairs(x).log_softmax(-1),
    "softmax of sixteen": lambda x: wide(x).softmax(-1),
    "log_softmax of sixteen": lambda x: wide(x).log_softmax(-1),
    "softmax across": lambda x: torch.stack([x, torch.zeros_like(x), -x]).softmax(0).t(),
    "logsumexp": lambda x: pairs(x).logsumexp(-1),
    "logsumexp of sixteen": lambda x: wide(x).logsumexp(-1),
    "normalize": lambda x: F.normalize(pairs(x), dim=-1),
    "normalize beside 1": lambda x: F.normalize(torch.stack([x, torch.ones_like(x)], -1), dim=-1),
    "norm": lambda x: wide(x).norm(dim=-1),
    "cosine_similarity": lambda x: F.cosine_similarity(pairs(x) + 1, pairs(x), dim=-1),
    # Of larger ones the squares overflow: eager has NaN then, backends have 0.
    "layer_norm": lambda x: F.layer_norm(wide(x.clamp(-1e18, 1e18)), (16,)),
    "var": lambda x: pairs(x).var(-1),
    "std": lambda x: wide(x.clamp(-1e37, 1e37)).std(-1),
    "mean": lambda x: pairs(x).mean(-1),
    "log of softmax": lambda x: torch.log(pairs(x).softmax(-1)),
    "entropy of softmax": lambda x: torch.special.entr(pairs(x).softmax(-1)).sum(-1),
    "cross_entropy": lambda x: F.cross_entropy(
        pairs(x), torch.ones_like(x, dtype=torch.int64), reduction="none"
    ),
    "logcumsumexp": lambda x: pairs(x).logcumsumexp(-1),
}
LOSSES = {
    "bce": lambda x: F.binary_cross_entropy(
        torch.sigmoid(torch.nan_to_num(x)), torch.full_like(x, 0.3), reduction="none"
    ),
    "bce with logits": lambda x: F.binary_cross_entropy_with_logits(
        x, torch.full_like(x, 0.3), reduction="none"
    ),
    "bce of weights": lambda x: F.binary_cross_entropy_with_logits(
        x, torch.ones_like(x), pos_weight=torch.full((), 2.0), reduction="none"
    ),
    "kl_div": lambda x: F.kl_div(F.logsigmoid(x), torch.sigmoid(-x), reduction="none"),
    "smooth_l1": lambda x: F.smooth_l1_loss(x, torch.zeros_like(x), reduction="none"),
    "huber": lambda x: F.huber_loss(x, torch.ones_like(x), reduction="none", delta=0.7),
    "soft_margin": lambda x: F.soft_margin_loss(x, torch.ones_like(x), reduction="none"),
    "hinge": lambda x: F.hinge_embedding_loss(x, -torch.ones_like(x), reduction="none"),
    "poisson_nll": lambda x: F.poisson_nll_loss(x, torch.full_like(x, 3), reduction="none"),
    "gaussian_nll": lambda x: F.gaussian_nll_loss(x, torch.zeros_like(x), x.abs(), reduction="none"),
    "mse": lambda x: F.mse_loss(x, torch.ones_like(x), reduction="none"),
    "l1": lambda x: F.l1_loss(x, torch.ones_like(x), reduction="none"),
}


def sigmoid_slope(x):
    p = torch.sigmoid(x)
    return p * (1 - p)


def entropy(x):
    p = torch.sigmoid(x)
    return -p * torch.log(p) - (1 - p) * torch.log(1 - p)


def stable_softplus(x):
    return x.clamp(min=0) + torch.log1p(torch.exp(-x.abs()))


def stable_sigmoid(x):
    e = torch.exp(-x.abs())
    return torch.where(x >= 0, 1 / (1 + e), e / (1 + e))


def tanh_by_hand(x):
    return (torch.exp(x) - torch.exp(-x)) / (torch.exp(x) + torch.exp(-x))


BY_HAND = {
    "x * sigmoid": lambda x: x * torch.sigmoid(x),
    "sigmoid * x": lambda x: torch.sigmoid(x) * x,
    "swish of 1.702": lambda x: x * torch.sigmoid(1.702 * x),
    "swish of -1": lambda x: x * torch.sigmoid(-x),
    "swish of a beta": lambda x: x * torch.sigmoid(torch.full((), 1.5) * x),
    "x / (1 + exp(-x))": lambda x: x / (1 + torch.exp(-x)),
    "1 / (1 + exp(-x))": lambda x: 1 / (1 + torch.exp(-x)),
    "x * tanh(softplus)": lambda x: x * torch.tanh(F.softplus(x)),
    "mish of log": lambda x: x * torch.tanh(torch.log(1 + torch.exp(x))),
    "mish of log1p": lambda x: x * torch.tanh(torch.log1p(torch.exp(x))),
    "log(1 + exp)": lambda x: torch.log(1 + torch.exp(x)),
    "log1p(exp)": lambda x: torch.log1p(torch.exp(x)),
    "stable softplus": stable_softplus,
    "stable sigmoid": stable_sigmoid,
    "1 - sigmoid": lambda x: 1 - torch.sigmoid(x),
    "sigmoid slope": sigmoid_slope,
    "tanh slope": lambda x: 1 - torch.tanh(x) ** 2,
    "exp - 1": lambda x: torch.exp(x) - 1,
    "elu by hand": lambda x: torch.where(x > 0, x, torch.exp(x) - 1),
    "elu of expm1": lambda x: torch.where(x > 0, x, torch.expm1(x)),
    "elu of minimum": lambda x: F.relu(x) - F.relu(1 - torch.exp(x)),
    "gelu of erf": lambda x: 0.5 * x * (1 + torch.erf(x / math.sqrt(2))),
    "gelu of a product": lambda x: x * 0.5 * (1 + torch.erf(x * (1 / math.sqrt(2)))),
    "gelu of erfc": lambda x: 0.5 * x * torch.erfc(-x / math.sqrt(2)),
    "gelu of tanh": lambda x: (
        0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * torch.pow(x, 3))))
    ),
    "gelu of products": lambda x: 0.5 * x * (1 + torch.tanh(0.7978845608028654 * x * (1 + 0.044715 * x * x))),
    "quick gelu": lambda x: x * torch.sigmoid(x * 1.702),
    "hard sigmoid": lambda x: F.relu6(x + 3) / 6,
    "hard swish": lambda x: x * F.relu6(x + 3) / 6,
    "entropy of p": lambda x: -x * torch.log(x),
    "entropy of sigmoid": entropy,
    "log of sigmoid": lambda x: torch.log(torch.sigmoid(x)),
    "log of 1 - sigmoid": lambda x: torch.log(1 - torch.sigmoid(x)),
    "log1p of -sigmoid": lambda x: torch.log1p(-torch.sigmoid(x)),
    "log of tanh": lambda x: torch.log(torch.tanh(x.abs() + 1e-30)),
    "log of softplus": lambda x: torch.log(F.softplus(x)),
    "inverse of softplus": lambda x: torch.log(torch.expm1(F.softplus(x))),
    "tanh by hand": tanh_by_hand,
    "tanh of sigmoid": lambda x: 2 * torch.sigmoid(2 * x) - 1,
    "sinh by hand": lambda x: (torch.exp(x) - torch.exp(-x)) / 2,
    "asinh by hand": lambda x: torch.log(x + torch.sqrt(x * x + 1)),
    "atanh by hand": lambda x: 0.5 * torch.log((1 + x) / (1 - x)),
    "logit by hand": lambda x: torch.log(x / (1 - x)),
    "softsign by hand": lambda x: x / (1 + x.abs()),
    "tanhshrink by hand": lambda x: x - torch.tanh(x),
    "gauss": lambda x: torch.exp(-x * x / 2),
    "snake": lambda x: x + torch.sin(x) ** 2,
    "squared relu": lambda x: F.relu(x) ** 2,
    "sinc by hand": lambda x: torch.sin(x) / x,
    "isru": lambda x: x / torch.sqrt(1 + x * x),
    "rsqrt of a sum": lambda x: x * torch.rsqrt(x * x + 1e-6),
    "exp of -exp": lambda x: torch.exp(-torch.exp(x)),
    "softmax by hand": lambda x: torch.exp(x) / (torch.exp(x) + 1),
    "focal": lambda x: -((1 - torch.sigmoid(x)) ** 2) * F.logsigmoid(x),
    "rms": lambda x: wide(x) * torch.rsqrt((wide(x) ** 2).mean(-1, keepdim=True) + 1e-6),
    "silu beside sigmoid": lambda x: F.silu(x) + torch.sigmoid(x),
    "silu of silu": lambda x: F.silu(F.silu(x)),
    "gelu of elu": lambda x: F.gelu(F.elu(x)),
    "softplus of -x": lambda x: -F.softplus(-x),
    "log of cosh": lambda x: x + F.softplus(-2 * x) - math.log(2),
    "exponential gate": lambda x: torch.exp(F.logsigmoid(x)),
    "tanh of exp": lambda x: x * torch.tanh(torch.exp(x)),
    "selu by hand": lambda x: 1.0507009873554805 * torch.where(x > 0, x, 1.6732632423543772 * torch.expm1(x)),
}
ALL = NAMED | ARGUMENTS | ROWS | LOSSES | BY_HAND
# Those that models are made of.
QUICK = [
    *NAMES[F].split(),
    *["sigmoid", "tanh", "exp", "expm1", "log1p", "erf", "erfc", "sinc"],
    *list(ARGUMENTS)[:13],
]
QUICK += ["softmax of two", "softmax of sixteen", "log of softmax", "std", "bce", *BY_HAND]
# What is lowered on no backend, and what needs f64 or remainders, which openvino lacks.
REFUSED = frozenset(["erfinv", "erfcx", "gaussian_nll", "log_ndtr", "mvlgamma", "ndtri", "rrelu", "zeta"])
NOT_ON_OPENVINO = frozenset(
    name for name in ALL if "polygamma" in name or "bessel" in name or "hypot" in name
)
NOT_ON_OPENVINO |= {"airy_ai", "digamma", "psi", "lgamma", "gammaln", "i0", "i0e", "i1", "i1e"}
NOT_ON_OPENVINO |= {"float_power", "fmod", "remainder", "floor_divide"}

# Differences, of what magnitude. Where they cancel, the last digits of what is subtracted are left.
SUMMANDS = {
    "tanhshrink": torch.abs,
    "tanhshrink by hand": torch.abs,
    "tanh slope": torch.ones_like,
    "gelu": torch.abs,
    "gelu tanh": torch.abs,
    "gelu of erf": torch.abs,
    "gelu of a product": torch.abs,
    "gelu of tanh": torch.abs,
    "gelu of products": torch.abs,
    "log of cosh": lambda x: x.abs() + 1,
    "kl_div": torch.ones_like,
    "inverse of softplus": torch.ones_like,
    "tanh of sigmoid": torch.ones_like,
    "ndtr": torch.ones_like,
    "log of tanh": torch.ones_like,
    "log of softmax": torch.ones_like,
    "entropy of softmax": lambda x: torch.full_like(x, 0.1),
    # Torch's own are off by 6e-6 around their zeros, in f64 too.
    "airy_ai": lambda x: 10 * (x < 0),
    "bessel_j0": lambda x: torch.full_like(x, 10),
    "bessel_j1": lambda x: torch.full_like(x, 10),
    "bessel_y1": lambda x: torch.full_like(x, 10),
}
