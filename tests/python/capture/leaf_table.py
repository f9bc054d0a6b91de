# SPDX-License-Identifier: Apache-2.0
"""Leaf calls that models make: (function, positional arguments, keyword arguments)."""

from __future__ import annotations

import operator
from typing import Any

import torch
from torch import nn
from torch.nn import functional as fn

Case = tuple[Any, tuple[Any, ...], dict[str, Any]]


def words(text: str) -> list[str]:
    return text.split()


def case(function: Any, *args: Any, **kwargs: Any) -> Case:
    return function, args, kwargs


torch.manual_seed(7)
T = torch.Tensor
X = torch.randn(4, 6)
Y = torch.randn(4, 6)
P = torch.rand(4, 6) + 0.1  # positive, below 1.1
U = torch.rand(4, 6) * 1.8 - 0.9  # inside (-1, 1)
V = torch.randn(6)
M = torch.randn(6, 3)
B = torch.randn(2, 4, 6)
B2 = torch.randn(2, 6, 3)
IMG = torch.randn(2, 3, 8, 8)
SIG = torch.randn(2, 3, 10)
VOX = torch.randn(1, 2, 4, 4, 4)
I = torch.randint(-9, 9, (4, 6))  # noqa: E741 - the table is read by column
J = torch.randint(1, 5, (4, 6)) * torch.tensor([1, -1, 1, -1, 1, -1])
K = torch.tensor([3, 0, 2])
BOOL = torch.randn(4, 6) > 0
MASK = torch.randn(4, 6) > 0.3
SCALAR = torch.tensor(1.5)

UNARY = [
    *(
        case(getattr(torch, name), X)
        for name in words(
            "abs neg exp expm1 sin cos tan atan sinh cosh tanh sigmoid "
            "relu floor ceil trunc round sign square erf isnan "
            "isinf isfinite logical_not sgn positive asinh erfc exp2 frac sinc"
        )
    ),
    *(
        case(getattr(torch, name), P)
        for name in words("log log2 log10 log1p sqrt rsqrt reciprocal digamma lgamma")
        if name not in ("digamma", "lgamma")
    ),
    *(case(getattr(torch, name), U) for name in words("asin acos atanh")),
    case(torch.acosh, P + 1.5),
    case(torch.logit, P / 2),
    case(torch.bitwise_not, I),
    case(torch.abs, I),
    case(torch.neg, I),
    case(torch.sign, I),
    case(torch.logical_not, BOOL),
    case(operator.invert, BOOL),
    case(operator.neg, X),
    case(operator.abs, X),
    case(torch.exp, I),
    case(torch.sqrt, I.abs()),
    case(torch.sigmoid, I),
    case(torch.deg2rad, X),
    case(torch.nan_to_num, X / torch.tensor([0.0, 1, 1, 1, 1, 1])),
    case(torch.relu, I),
]

BINARY = [
    *(
        case(getattr(torch, name), X, Y)
        for name in words(
            "add sub mul div maximum minimum fmax fmin atan2 eq ne lt le "
            "gt ge hypot logaddexp fmod remainder "
            "floor_divide"
        )
    ),
    *(
        case(getattr(torch, name), I, J)
        for name in words(
            "add sub mul div maximum minimum eq ne lt le gt ge fmod "
            "remainder floor_divide bitwise_and bitwise_or "
            "bitwise_xor"
        )
    ),
    *(
        case(getattr(torch, name), BOOL, MASK)
        for name in words(
            "logical_and logical_or logical_xor eq ne bitwise_and bitwise_or bitwise_xor add mul"
        )
    ),
    case(torch.pow, P, Y),
    case(torch.pow, P, 2),
    case(torch.pow, P, 0.5),
    case(torch.pow, X, 3),
    case(torch.pow, I, 2),
    case(torch.pow, 2.0, X),
    case(torch.add, X, Y, alpha=0.5),
    case(torch.sub, X, Y, alpha=2),
    case(torch.rsub, X, 1),
    case(torch.div, X, Y, rounding_mode="floor"),
    case(torch.div, X, Y, rounding_mode="trunc"),
    case(torch.div, I, J, rounding_mode="floor"),
    case(torch.div, I, J, rounding_mode="trunc"),
    case(torch.lerp, X, Y, 0.3),
    case(torch.addcmul, X, Y, P, value=0.5),
    case(torch.addcdiv, X, Y, P),
    case(torch.mul, X, V),
    case(torch.add, I, X),
    case(torch.mul, BOOL, X),
    case(torch.add, X, SCALAR),
    case(torch.add, I, SCALAR),
    case(torch.add, X, torch.tensor(2)),
    case(torch.mul, I, torch.tensor(2.5)),
    case(operator.add, X, 1),
    case(operator.mul, X, 0.5),
    case(operator.sub, 1, X),
    case(operator.truediv, 2, P),
    case(operator.truediv, I, 2),
    case(operator.floordiv, I, 4),
    case(operator.floordiv, X, 0.7),
    case(operator.mod, I, 4),
    case(operator.mod, X, 0.7),
    case(operator.mod, I, -4),
    case(operator.pow, X, 2),
    case(operator.pow, 2, X),
    case(operator.matmul, X, M),
    case(operator.and_, BOOL, MASK),
    case(operator.lt, X, 0),
    case(operator.gt, I, 2.5),
    case(operator.eq, I, 3),
    case(operator.mul, I, 1.5),
    case(operator.mul, BOOL, 2),
    case(operator.add, BOOL, True),
    case(operator.mul, I, 3),
    case(operator.iadd, X.clone(), 1.0),
    case(operator.lshift, I.abs(), 2),
    case(operator.rshift, I.abs(), 1),
    case(torch.heaviside, X, Y),
    case(torch.copysign, X, Y),
    case(torch.xlogy, P, P),
    case(torch.isclose, X, X + 1e-9),
    case(torch.logaddexp2, X, Y),
    case(torch.ldexp, X, K[1]),
]

REDUCTIONS = [
    *(
        case(getattr(torch, name), X)
        for name in words("sum mean max min prod std var amax amin argmax argmin")
        if name not in ("amax", "amin")
    ),
    *(
        case(getattr(torch, name), X, dim=1)
        for name in words(
            "sum mean max min prod std var amax amin argmax argmin "
            "logsumexp cumsum cumprod softmax log_softmax median "
            "norm"
        )
    ),
    case(torch.sum, X, dim=(0, 1)),
    case(torch.sum, X, dim=-1, keepdim=True),
    case(torch.sum, BOOL),
    case(torch.sum, I),
    case(torch.sum, I, dim=0),
    case(torch.mean, X, dim=(0,), keepdim=True),
    case(torch.var, X, dim=0, unbiased=False),
    case(torch.std, X, dim=1, keepdim=True),
    case(torch.any, BOOL),
    case(torch.all, BOOL),
    case(torch.any, BOOL, dim=1),
    case(torch.all, BOOL, dim=0),
    case(torch.any, X),
    case(torch.max, I),
    case(torch.argmax, I, dim=1),
    case(torch.max, I, 1),
    case(torch.cumsum, I, 0),
    case(torch.norm, X),
    case(torch.norm, X, p=1, dim=1),
    case(torch.linalg.vector_norm, X, 2, 1),
    case(torch.topk, X, 3),
    case(torch.topk, X, 2, dim=0, largest=False),
    case(torch.sort, X, dim=1),
    case(torch.sort, X, dim=0, descending=True),
    case(torch.argsort, X),
    case(torch.count_nonzero, I),
    case(torch.cummax, X, 1),
    case(torch.var_mean, X, dim=1),
    case(torch.aminmax, X, dim=1),
    case(torch.std_mean, X),
    case(torch.kthvalue, X, 2),
    case(torch.nansum, X),
    case(T.mean, X),
    case(T.sum, X, 0),
    case(torch.sum, X, dtype=torch.float64),
    case(torch.mean, I, dtype=torch.float32),
    case(torch.diff, X),
    case(torch.trace, X),
    case(torch.logcumsumexp, X, 0),
]

SHAPES = [
    case(T.view, X, 2, 12),
    case(T.view, X, -1),
    case(T.reshape, X, (3, 8)),
    case(torch.reshape, X, (-1,)),
    case(T.permute, B, 2, 0, 1),
    case(torch.permute, B, (1, 0, 2)),
    case(torch.transpose, X, 0, 1),
    case(T.t, X),
    case(torch.flatten, IMG, 1),
    case(T.flatten, B),
    case(T.unflatten, X, 1, (2, 3)),
    case(torch.squeeze, X[:1]),
    case(torch.squeeze, X[:1], 0),
    case(torch.squeeze, X, 0),
    case(T.unsqueeze, X, -1),
    case(T.expand, X[:1], 4, 6),
    case(T.expand_as, V, X),
    case(T.repeat, X, 2, 1),
    case(torch.repeat_interleave, X, 2, dim=0),
    case(torch.tile, X, (2, 2)),
    case(torch.cat, [X, Y]),
    case(torch.cat, [X, Y], dim=1),
    case(torch.stack, [X, Y]),
    case(torch.stack, (X, Y), dim=-1),
    case(torch.hstack, [X, Y]),
    case(torch.vstack, [X, Y]),
    case(torch.chunk, X, 2),
    case(torch.split, X, 2, dim=1),
    case(torch.split, X, [1, 2, 3], dim=1),
    case(torch.unbind, X),
    case(T.chunk, X, 3, 1),
    case(torch.flip, X, (0,)),
    case(torch.roll, X, 1, 0),
    case(torch.roll, X, (1, 2), (0, 1)),
    case(torch.tril, X),
    case(torch.triu, X, 1),
    case(torch.diag, V),
    case(torch.diagonal, X),
    case(torch.movedim, B, 0, 2),
    case(T.contiguous, X.t()),
    case(T.contiguous, X),
    case(T.clone, X),
    case(T.detach, X),
    case(torch.narrow, X, 1, 2, 3),
    case(torch.select, X, 1, 3),
    case(torch.meshgrid, V, V),
    case(torch.outer, V, V),
    case(torch.zeros_like, X),
    case(torch.ones_like, X),
    case(torch.full_like, X, 2.5),
    case(T.new_zeros, X, (2, 3)),
    case(T.new_full, X, (2,), 3),
    case(T.to, X, torch.float64),
    case(T.to, X, torch.int64),
    case(T.to, X, torch.float32),
    case(T.float, I),
    case(T.long, X),
    case(T.int, X),
    case(T.bool, I),
    case(T.double, X),
    case(T.half, X),
    case(T.type_as, I, X),
    case(torch.broadcast_to, V, (4, 6)),
    case(torch.broadcast_tensors, V, X),
    case(torch.atleast_2d, V),
    case(torch.swapaxes, B, 0, 1),
    case(T.view_as, X, Y),
    case(torch.column_stack, [V, V]),
    case(torch.rot90, X),
    case(torch.block_diag, X, Y),
    case(torch.tensor_split, X, 3, dim=1),
    case(torch.unfold_copy, X, 1, 2, 1),
    case(T.unfold, X, 1, 3, 2),
    case(torch.combinations, V) if False else case(torch.kron, X, M),
]

INDEXING = [
    case(operator.getitem, X, 0),
    case(operator.getitem, X, -1),
    case(operator.getitem, X, (slice(None), 2)),
    case(operator.getitem, X, slice(1, 3)),
    case(operator.getitem, X, (slice(None), slice(None, None, 2))),
    case(operator.getitem, X, (Ellipsis, -2)),
    case(operator.getitem, X, None),
    case(operator.getitem, B, (0, Ellipsis, 1)),
    case(operator.getitem, X, (slice(None), K)),
    case(operator.getitem, X, K),
    case(operator.getitem, X, (K, K)),
    case(operator.getitem, X, [0, 2]),
    case(operator.getitem, B, (slice(None), K, slice(1, 4))),
    case(operator.getitem, X, (slice(-3, None), slice(1, -1))),
    case(operator.getitem, X, torch.tensor(2)),
    case(operator.setitem, X.clone(), 0, Y[0]),
    case(operator.setitem, X.clone(), (slice(None), 1), 0.0),
    case(operator.setitem, X.clone(), (slice(1, 3), slice(2, 4)), 1.0),
    case(operator.setitem, X.clone(), MASK, 0.0),
    case(operator.setitem, X.clone(), (slice(None), -1), Y[:, 0]),
    case(operator.setitem, X.clone(), K, Y[:3]),
    case(torch.gather, X, 1, K.expand(4, 3)),
    case(torch.index_select, X, 0, K),
    case(torch.take_along_dim, X, K[None], 1),
    case(torch.scatter, X, 1, K.expand(4, 3), Y[:, :3]),
    case(torch.scatter_add, X, 1, K.expand(4, 3), Y),
    case(torch.masked_fill, X, MASK, 0.5),
    case(T.masked_fill_, X.clone(), MASK, -1e9),
    case(torch.where, MASK, X, Y),
    case(torch.where, MASK, X, 0.0),
    case(torch.where, MASK, 1.0, X),
    case(torch.where, MASK, I, 1.5),
    case(fn.one_hot, K, 5),
    case(fn.embedding, K, M),
    case(torch.take, X, K),
    case(torch.index_add, X, 0, K, Y[:3]),
    case(torch.index_fill, X, 1, K, 3.0),
    case(torch.index_copy, X, 0, K, Y[:3]),
    case(torch.scatter, X, 1, K[None], 1.0),
    case(torch.bucketize, X, torch.tensor([-1.0, 0, 1])),
    case(torch.clamp, X, -0.5, 0.5),
    case(torch.clamp, X, min=0),
    case(torch.clamp, X, max=Y),
    case(T.clamp_, X.clone(), 0, 1),
    case(torch.isin, I, K),
    case(T.index_put, X, (K, K), torch.ones(3)),
    case(torch.masked_scatter, X, MASK, Y),
]

LINEAR_ALGEBRA = [
    case(torch.matmul, X, M),
    case(torch.matmul, X, V),
    case(torch.matmul, V, M),
    case(torch.matmul, B, B2),
    case(torch.matmul, B, M),
    case(torch.mm, X, M),
    case(torch.bmm, B, B2),
    case(torch.mv, X, V),
    case(torch.dot, V, V),
    case(torch.addmm, X @ M, X, M),
    case(torch.baddbmm, B @ B2, B, B2),
    case(torch.einsum, "bij,bjk->bik", B, B2),
    case(torch.einsum, "ij->ji", X),
    case(torch.einsum, "bij->b", B),
    case(torch.tensordot, X, M, 1),
    case(torch.linalg.norm, X),
    case(torch.matmul, I, I.t()),
    case(torch.cross, X[:, :3], Y[:, :3], dim=1),
    case(torch.cdist, X, Y),
    case(fn.linear, X, M.t()),
    case(fn.linear, X, M.t(), torch.randn(3)),
    case(fn.bilinear, X, Y, torch.randn(2, 6, 6)),
    case(fn.cosine_similarity, X, Y),
    case(fn.normalize, X, dim=1),
    case(fn.pairwise_distance, X, Y),
]

FUNCTIONAL = [
    *(
        case(getattr(fn, name), X)
        for name in words(
            "relu relu6 leaky_relu elu selu celu gelu silu mish softplus "
            "softsign tanhshrink hardtanh hardswish "
            "hardsigmoid logsigmoid sigmoid tanh threshold softshrink hardshrink"
        )
        if name != "threshold"
    ),
    case(fn.softmax, X, dim=-1),
    case(fn.log_softmax, X, dim=1),
    case(fn.softmin, X, dim=1),
    case(fn.glu, X),
    case(fn.gelu, X, approximate="tanh"),
    case(fn.leaky_relu, X, 0.2),
    case(fn.threshold, X, 0.1, 2.0),
    case(fn.prelu, X, torch.tensor([0.3])),
    case(fn.dropout, X, training=False),
    case(fn.dropout, X, 0.5, False),
    case(fn.conv1d, SIG, torch.randn(4, 3, 3)),
    case(fn.conv2d, IMG, torch.randn(4, 3, 3, 3), padding=1, stride=2),
    case(fn.conv2d, IMG, torch.randn(3, 1, 3, 3), groups=3, dilation=2),
    case(fn.conv3d, VOX, torch.randn(2, 2, 2, 2, 2)),
    case(fn.conv2d, IMG, torch.randn(4, 3, 3, 3), padding="same"),
    case(fn.conv_transpose2d, IMG, torch.randn(3, 4, 3, 3), stride=2, output_padding=1, padding=1),
    case(fn.conv_transpose2d, IMG, torch.randn(3, 4, 3, 3), output_padding=1, dilation=2),
    case(fn.max_pool2d, IMG, 2),
    case(fn.max_pool2d, IMG, 3, 2, 1),
    case(fn.max_pool2d, IMG, 3, 2, ceil_mode=True),
    case(fn.max_pool1d, SIG, 2),
    case(fn.avg_pool2d, IMG, 2),
    case(fn.avg_pool2d, IMG, 3, 2, 1),
    case(fn.avg_pool2d, IMG, 3, 2, 1, count_include_pad=False),
    case(fn.avg_pool2d, IMG, 3, 2, 1, ceil_mode=True),
    case(fn.avg_pool2d, IMG, 3, 2, 1, ceil_mode=True, count_include_pad=False),
    case(fn.avg_pool1d, SIG, 3),
    case(fn.adaptive_avg_pool2d, IMG, 1),
    case(fn.adaptive_avg_pool2d, IMG, (2, 4)),
    case(fn.adaptive_max_pool2d, IMG, 1),
    case(fn.adaptive_avg_pool1d, SIG, 5),
    case(fn.adaptive_avg_pool2d, IMG, 3),
    case(fn.batch_norm, IMG, torch.zeros(3), torch.ones(3)),
    case(fn.layer_norm, X, (6,)),
    case(fn.group_norm, IMG, 3),
    case(fn.instance_norm, IMG),
    case(fn.layer_norm, X, (6,), V, V),
    case(fn.local_response_norm, IMG, 2),
    case(fn.rms_norm, X, (6,)),
    case(fn.pad, X, (1, 2)),
    case(fn.pad, IMG, (1, 1, 1, 1), "reflect"),
    case(fn.pad, IMG, (1, 1, 1, 1), "replicate"),
    case(fn.pad, X, (1, -1), value=3.0),
    case(fn.interpolate, IMG, scale_factor=2),
    case(fn.interpolate, IMG, size=(5, 11), mode="bilinear"),
    case(fn.interpolate, IMG, scale_factor=2, mode="bilinear", align_corners=True),
    case(fn.interpolate, IMG, size=(5, 5), mode="nearest"),
    case(fn.interpolate, IMG, scale_factor=1.5, mode="bicubic"),
    case(fn.interpolate, IMG, size=(5, 7), mode="area"),
    case(fn.interpolate, SIG, size=7, mode="linear"),
    case(fn.interpolate, IMG, size=(13, 5), mode="nearest-exact"),
    case(fn.pixel_shuffle, torch.randn(1, 4, 3, 3), 2),
    case(fn.pixel_unshuffle, IMG, 2),
    case(fn.unfold, IMG, 3),
    case(fn.fold, torch.randn(1, 12, 9), (4, 4), 2),
    case(fn.mse_loss, X, Y),
    case(fn.l1_loss, X, Y),
    case(fn.smooth_l1_loss, X, Y),
    case(fn.huber_loss, X, Y),
    case(fn.cross_entropy, X, torch.tensor([0, 5, 2, 1])),
    case(fn.nll_loss, X, torch.tensor([0, 5, 2, 1])),
    case(fn.cross_entropy, X, torch.tensor([0, 5, -100, 1])),
    case(fn.kl_div, X, P),
    case(fn.hinge_embedding_loss, X, Y),
    case(fn.binary_cross_entropy, P / 2, BOOL.float()),
    case(fn.binary_cross_entropy_with_logits, X, BOOL.float()),
    case(fn.scaled_dot_product_attention, B, B, B),
    case(fn.scaled_dot_product_attention, B, B, B, is_causal=True),
    case(fn.scaled_dot_product_attention, B, B, B, torch.ones(4, 4).tril().bool()),
    case(fn.grid_sample, IMG, torch.rand(2, 4, 4, 2) * 2 - 1, align_corners=False),
    case(fn.grid_sample, IMG, torch.rand(2, 4, 4, 2) * 3 - 1.5, "bicubic", align_corners=True),
    case(fn.grid_sample, IMG, torch.rand(2, 4, 4, 2) * 3 - 1.5, "bicubic", "border", False),
    case(fn.grid_sample, IMG, torch.rand(2, 4, 4, 2) * 3 - 1.5, "bicubic", "reflection", False),
    case(fn.channel_shuffle, VOX[0], 2),
    case(fn.affine_grid, torch.randn(2, 2, 3), (2, 3, 4, 4), align_corners=False),
    case(fn.alpha_dropout, X, 0.5, False),
    case(fn.lp_pool2d, IMG.abs(), 2, 2),
    case(fn.embedding_bag, K[None], M),
    case(fn.margin_ranking_loss, X, Y, BOOL * 2 - 1),
]


ACTIVATIONS = [nn.ReLU, nn.GELU, nn.SiLU, nn.Tanh, nn.Sigmoid, nn.LeakyReLU, nn.ELU, nn.Hardswish]
ACTIVATIONS += [nn.Softplus, nn.Mish, nn.Hardtanh, nn.ReLU6, nn.LogSigmoid, nn.GLU]


def _layers() -> list[Case]:
    seq = torch.randn(2, 5, 8)
    ids = torch.tensor([[1, 0, 4]])
    encoder = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
    made: list[tuple[nn.Module, Any]] = [
        (nn.Linear(6, 3), (X,)),
        (nn.Linear(6, 3, bias=False), (X,)),
        (nn.Bilinear(6, 6, 2), (X, Y)),
        (nn.Conv1d(3, 4, 3), (SIG,)),
        (nn.Conv2d(3, 4, 3, padding=1), (IMG,)),
        (nn.Conv3d(2, 3, 2), (VOX,)),
        (nn.Conv2d(3, 6, 3, groups=3, padding_mode="reflect", padding=1), (IMG,)),
        (nn.ConvTranspose1d(3, 4, 3), (SIG,)),
        (nn.ConvTranspose2d(3, 4, 3, stride=2), (IMG,)),
        (nn.BatchNorm1d(6), (X,)),
        (nn.BatchNorm2d(3), (IMG,)),
        (nn.LayerNorm(6), (X,)),
        (nn.GroupNorm(3, 3), (IMG,)),
        (nn.InstanceNorm2d(3), (IMG,)),
        (nn.RMSNorm(6), (X,)),
        (nn.Embedding(5, 3), (ids,)),
        (nn.Dropout(0.5), (X,)),
        (nn.Embedding(5, 3, padding_idx=0), (ids,)),
        (nn.LSTM(8, 6, batch_first=True), (seq,)),
        (nn.GRU(8, 6), (seq,)),
        (nn.LSTM(8, 6, 2, bidirectional=True), (seq,)),
        (nn.RNN(8, 6), (seq,)),
        (nn.GRU(8, 6, 2, batch_first=True), (seq,)),
        (nn.LSTMCell(8, 6), (seq[0],)),
        (nn.GRUCell(8, 6), (seq[0],)),
        (nn.RNNCell(8, 6), (seq[0],)),
        (nn.MultiheadAttention(8, 2, batch_first=True), (seq, seq, seq)),
        (encoder, (seq,)),
        (nn.Identity(), (X,)),
        (nn.TransformerDecoderLayer(8, 2, 16, batch_first=True), (seq, seq)),
        (nn.TransformerEncoder(encoder, 2), (seq,)),
        (nn.MaxPool2d(2), (IMG,)),
        (nn.AvgPool2d(3, 2), (IMG,)),
        (nn.AdaptiveAvgPool2d(1), (IMG,)),
        (nn.Flatten(), (IMG,)),
        (nn.Upsample(scale_factor=2), (IMG,)),
        (nn.PixelShuffle(2), (torch.randn(1, 4, 3, 3),)),
        (nn.ZeroPad2d(1), (IMG,)),
        (nn.Softmax(dim=1), (X,)),
        (nn.PReLU(), (X,)),
        (nn.Unflatten(1, (2, 3)), (X,)),
        (nn.CosineSimilarity(), (X, Y)),
    ]
    made += [(activation(), (X,)) for activation in ACTIVATIONS]
    return [case(module.eval(), *args) for module, args in made]


LAYERS = _layers()
ALL = {
    "unary": UNARY,
    "binary": BINARY,
    "reductions": REDUCTIONS,
    "shapes": SHAPES,
    "indexing": INDEXING,
    "linear_algebra": LINEAR_ALGEBRA,
    "functional": FUNCTIONAL,
    "layers": LAYERS,
}
