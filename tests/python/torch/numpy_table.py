# SPDX-License-Identifier: Apache-2.0
"""Expressions of numpy on an array `a` of two rows, and inputs of every dtype."""

import numpy as np
import torch

NAN, INFINITE = float("nan"), float("inf")
_FLOATS = [
    [[1.5, -2.25, 0.0], [3.0, -0.5, 2.0]],
    [[-1.0, 4.0, 2.5], [0.25, -3.0, 0.0]],
    [[NAN, INFINITE, -1.0], [-INFINITE, 0.0, -0.0]],
]
_INTEGERS = [[[1, -2, 0], [3, 7, 2]], [[0, 0, 5], [-1, 4, 9]]]
_NATURAL = [[[1, 2, 0], [3, 7, 2]], [[0, 0, 5], [1, 4, 9]]]
_BOOLS = [[[True, False, False], [True, True, False]], [[False] * 3] * 2]
INPUTS = {
    torch.float32: _FLOATS,
    torch.float64: _FLOATS,
    torch.int64: _INTEGERS,
    torch.int32: _INTEGERS,
    torch.uint8: _NATURAL,
    torch.bool: _BOOLS,
}
W = np.array([0.5, 2.0, -1.0])
WI = np.array([1, 2, 3])
W32 = W.astype(np.float32)


def added_in_place(a, value):
    b = a.copy()
    c = b
    b += value
    return c


def set_item(a, key, value):
    b = a.copy()
    b[key] = value
    return b


def set_by_mask(a):
    b = a.copy()
    b[b > 1] = 0
    return b


def written_through_view(a):
    b = a.copy()
    row = b[0]
    row[1] = 9
    b[0, 0] = 4
    return b, row


def filled(a):
    b = a.copy()
    b.fill(3)
    return b


def sorted_in_place(a):
    b = a.copy()
    b.sort()
    return b


# A lambda stands alone on its line, so that its source can be found.
EXPRESSIONS = {
    "add1": lambda a: a + 1,
    "add1.5": lambda a: a + 1.5,
    "radd": lambda a: 2 - a,
    "addW": lambda a: a + W,
    "Wadd": lambda a: W - a,
    "addWI": lambda a: a * WI,
    "addW32": lambda a: a * W32,
    "adda": lambda a: a + a,
    "suba": lambda a: a - a.T.T,
    "mul": lambda a: a * True,
    "div": lambda a: a / 2,
    "div0": lambda a: a / 0,
    "diva": lambda a: a / a,
    "rdiv": lambda a: 1 / a,
    "fd": lambda a: a // 2,
    "fd.5": lambda a: a // 0.5,
    "mod": lambda a: a % 3,
    "modn": lambda a: a % -3,
    "mod.7": lambda a: a % 0.7,
    "pow2": lambda a: a**2,
    "pow.5": lambda a: a**0.5,
    "rpow": lambda a: 2**a,
    "neg": lambda a: -a,
    "abs": lambda a: abs(a),
    "inv": lambda a: ~a,
    "and": lambda a: (a > 0) & (a < 2),
    "or": lambda a: (a > 0) | (a == 0),
    "xor": lambda a: (a > 0) ^ True,
    "lt": lambda a: a < 1,
    "eq": lambda a: a == 0,
    "ne": lambda a: a != a,
    "ge.5": lambda a: a >= 0.5,
    "gtW": lambda a: a > W,
    "np.f64": lambda a: a * np.float64(0.1),
    "np.f32": lambda a: a * np.float32(0.1),
    "np.i64": lambda a: a + np.int64(3),
    "cmpf64": lambda a: a > np.float64(0.1),
    "sum": lambda a: a.sum(),
    "sum0": lambda a: np.sum(a, axis=0),
    "sumk": lambda a: a.sum(axis=1, keepdims=True),
    "sum(-1)": lambda a: a.sum(-1),
    "prod": lambda a: a.prod(),
    "prod0": lambda a: np.prod(a, 0),
    "mean": lambda a: a.mean(),
    "mean1": lambda a: np.mean(a, axis=1),
    "std": lambda a: a.std(),
    "std1": lambda a: np.std(a, 1, ddof=1),
    "var": lambda a: np.var(a, axis=0),
    "max": lambda a: a.max(),
    "max1": lambda a: np.max(a, axis=1),
    "min": lambda a: np.min(a),
    "argmax": lambda a: a.argmax(),
    "argmax1": lambda a: np.argmax(a, axis=1),
    "argmin0": lambda a: np.argmin(a, 0),
    "any": lambda a: a.any(),
    "all1": lambda a: np.all(a, axis=1),
    "any0k": lambda a: np.any(a, axis=0, keepdims=True),
    "cumsum": lambda a: a.cumsum(),
    "cumsum1": lambda a: np.cumsum(a, axis=1),
    "cnz": lambda a: np.count_nonzero(a),
    "nz": lambda a: np.nonzero(a),
    "where1": lambda a: np.where(a > 0),
    "flatnz": lambda a: np.flatnonzero(a),
    "argwhere": lambda a: np.argwhere(a > 0),
    "where": lambda a: np.where(a > 0, a, 0),
    "where.5": lambda a: np.where(a > 0, a, 0.5),
    "whereW": lambda a: np.where(a > 0, a, W),
    "where01": lambda a: np.where(a > 0, 1, 0),
    "maximum": lambda a: np.maximum(a, 1),
    "minimum": lambda a: np.minimum(a, W),
    "clip": lambda a: np.clip(a, 0, 1),
    "clipm": lambda a: a.clip(-0.5, 1.5),
    "round": lambda a: np.round(a),
    "round1": lambda a: np.round(a * 0.37, 2),
    "sign": lambda a: np.sign(a),
    "exp": lambda a: np.exp(a),
    "log": lambda a: np.log(a),
    "sqrt": lambda a: np.sqrt(a),
    "log1p": lambda a: np.log1p(a),
    "tanh": lambda a: np.tanh(a),
    "sin": lambda a: np.sin(a),
    "arctan": lambda a: np.arctan(a),
    "floor": lambda a: np.floor(a),
    "ceil": lambda a: np.ceil(a),
    "trunc": lambda a: np.trunc(a),
    "rint": lambda a: np.rint(a),
    "isnan": lambda a: np.isnan(a),
    "isinf": lambda a: np.isinf(a),
    "isfinite": lambda a: np.isfinite(a),
    "land": lambda a: np.logical_and(a, a > 1),
    "lnot": lambda a: np.logical_not(a),
    "square": lambda a: np.square(a),
    "exp2": lambda a: np.exp2(a),
    "reshape": lambda a: a.reshape(3, 2),
    "reshape-1": lambda a: np.reshape(a, -1),
    "T": lambda a: a.T,
    "transpose": lambda a: np.transpose(a, (1, 0)),
    "squeeze": lambda a: np.squeeze(a[:1]),
    "exp_dims": lambda a: np.expand_dims(a, 0),
    "ravel": lambda a: a.ravel(),
    "flatten": lambda a: a.flatten(),
    "cat": lambda a: np.concatenate([a, a * 2]),
    "cat1": lambda a: np.concatenate((a, W[None]), axis=0),
    "stack": lambda a: np.stack([a, a], axis=1),
    "vstack": lambda a: np.vstack([a[0], a[1]]),
    "hstack": lambda a: np.hstack([a[0], a[1]]),
    "sort": lambda a: np.sort(a),
    "sort0": lambda a: np.sort(a, axis=0),
    "argsorts": lambda a: np.argsort(a, kind="stable"),
    "unique": lambda a: np.unique(a),
    "matmul": lambda a: a @ a.T,
    "dot": lambda a: np.dot(a[0], a[1]),
    "rmat": lambda a: W @ a.T,
    "norm": lambda a: np.linalg.norm(a),
    "norm1": lambda a: np.linalg.norm(a, axis=1),
    "astype64": lambda a: a.astype(np.float64),
    "astypei": lambda a: a.astype(int),
    "astypeb": lambda a: a.astype(bool),
    "astype32": lambda a: a.astype("float32"),
    "copy": lambda a: a.copy(),
    "item": lambda a: a[0, 1].item(),
    "tolist": lambda a: a.tolist(),
    "i0": lambda a: a[0],
    "i01": lambda a: a[0, 1],
    "i-1": lambda a: a[-1, -1],
    "s": lambda a: a[:, 1:],
    "s2": lambda a: a[::1, ::2],
    "none": lambda a: a[:, None],
    "ell": lambda a: a[..., 0],
    "mask": lambda a: a[a > 0],
    "idx": lambda a: a[:, np.array([2, 0])],
    "idxl": lambda a: a[:, [2, 0]],
    "oob": lambda a: a[2],
    "oob2": lambda a: a[0, 5],
    "toomany": lambda a: a[0, 0, 0],
    "len": lambda a: len(a),
    "shape": lambda a: (a.shape, a.ndim, a.size, a.dtype == np.float32, str(a.dtype)),
    "iter": lambda a: [r.sum() for r in a],
    "in": lambda a: 1 in a,
    "float": lambda a: float(a[0, 0]),
    "int": lambda a: int(a[0, 0]),
    "bool": lambda a: bool(a[0, 0]),
    "scal": lambda a: a[0, 0] + a[0, 1],
    "scal/": lambda a: a[0, 0] / a[1, 1],
    "scal0": lambda a: a[0, 2] / a[0, 2] if True else 0,
    "scalpy": lambda a: a[0, 0] + 1,
    "scalf": lambda a: a[0, 0] * 0.1,
    "scalpow": lambda a: a[0, 0] ** 2,
    "scal//": lambda a: a[0, 0] // 2,
    "scalcmp": lambda a: a[0, 0] > 0.3,
    "f(scal)": lambda a: np.float64(a[0, 0]) * 0.1,
    "f32(scal)": lambda a: np.float32(float(a[0, 0])),
    "i64(scal)": lambda a: np.int64(int(a[0, 1])),
    "zeros_like": lambda a: np.zeros_like(a),
    "ones": lambda a: np.ones(int(a[1, 2])),
    "zeros2": lambda a: np.zeros((int(a[1, 2]), 2), dtype=np.int64),
    "arange": lambda a: np.arange(int(a[1, 2])),
    "full": lambda a: np.full(3, float(a[0, 0])),
    "array": lambda a: np.array([a[0, 0], 2.0]),
    "arrayi": lambda a: np.array([int(a[0, 0]), 2]),
    "array2": lambda a: np.array([[1, 2], [3, a[0, 0]]]),
    "asarray": lambda a: np.asarray(a) is a,
    "isinst": lambda a: (
        isinstance(a, np.ndarray),
        isinstance(a[0, 0], float),
        isinstance(a[0, 0], np.floating),
        isinstance(a[0, 0], (int, np.integer)),
        type(a) is np.ndarray,
        np.isscalar(1),
    ),
    "transposem": lambda a: a.transpose(1, 0),
    "sum()": lambda a: a.sum(axis=()),
    "arange-": lambda a: np.arange(int(a[0, 1])),
    "scal.T": lambda a: (a[0, 0].squeeze(), np.transpose(a[0, 0]), np.reshape(a[0, 0], ())),
    "reshape_bad": lambda a: a.reshape(4, 4),
    "item_bad": lambda a: a.item(),
    "setrow_bad": lambda a: set_item(a, 1, a[0, :2]),
    "setmask_bad": lambda a: set_item(a, a > 0, a[0, :2]),
    "matmul_bad": lambda a: a @ a,
    "add_bad": lambda a: a + np.zeros(2),
    "attr": lambda a: a.nosuch,
    "truth": lambda a: 1 if a else 0,
    "fmt": lambda a: f"{a[0, 0]:.2f}",
    "hash": lambda a: {a[0, 0]: 1},
    "min2": lambda a: min(a[0, 0], a[0, 1]),
    "maxb": lambda a: max(a[0]),
    "sumb": lambda a: sum(a[0]),
    "sorted": lambda a: sorted(a[0]),
    "zip": lambda a: [x * y for x, y in zip(a[0], a[1])],
    "enum": lambda a: [i * x for i, x in enumerate(a[0])],
    "round_py": lambda a: round(a[0, 0]),
    "absb": lambda a: abs(a[0, 1]),
    "divmod": lambda a: divmod(a[0, 0], 2),
    "print": lambda a: print(a) or 1,
    "and_or": lambda a: a[0, 0] > 0 and a[0, 1] > 0,
    "not": lambda a: not a[0, 0] > 0,
    "chain": lambda a: 0 < a[0, 0] < 2,
    "iadd": lambda a: added_in_place(a, 1),
    "iaddf": lambda a: added_in_place(a, 0.5),
    "set": lambda a: set_item(a, 0, 5),
    "setf": lambda a: set_item(a, (0, 1), 0.5),
    "setrow": lambda a: set_item(a, 1, a[0] * 2),
    "setmask": lambda a: set_by_mask(a),
    "view": lambda a: written_through_view(a),
    "fill": lambda a: filled(a),
    "sortm": lambda a: sorted_in_place(a),
}
