# SPDX-License-Identifier: Apache-2.0
"""Functions of torch that are one operation: by name, or by ATen's schemas, which say what is written."""

from __future__ import annotations

import types
from typing import Any

import torch

# Layers that hold others and compute nothing.
CONTAINERS = (
    torch.nn.Sequential,
    torch.nn.ModuleList,
    torch.nn.ModuleDict,
    torch.nn.ParameterList,
    torch.nn.ParameterDict,
)

# Layers that have neither parameters nor buffers when they are made of numbers and texts.
PARAMETERLESS_LAYERS = """
AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d
AdaptiveMaxPool3d AlphaDropout AvgPool1d AvgPool2d AvgPool3d BCELoss BCEWithLogitsLoss CELU CTCLoss
ChannelShuffle CircularPad1d CircularPad2d CircularPad3d ConstantPad1d ConstantPad2d ConstantPad3d
CosineEmbeddingLoss CosineSimilarity CrossEntropyLoss Dropout Dropout1d Dropout2d Dropout3d ELU
FeatureAlphaDropout Flatten Fold FractionalMaxPool2d FractionalMaxPool3d GELU GLU GaussianNLLLoss
Hardshrink Hardsigmoid Hardswish Hardtanh HingeEmbeddingLoss HuberLoss Identity KLDivLoss L1Loss LPPool1d
LPPool2d LPPool3d LeakyReLU LocalResponseNorm LogSigmoid LogSoftmax MSELoss MarginRankingLoss MaxPool1d
MaxPool2d MaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d Mish MultiLabelMarginLoss
MultiLabelSoftMarginLoss MultiMarginLoss NLLLoss PairwiseDistance PixelShuffle PixelUnshuffle
PoissonNLLLoss RReLU ReLU ReLU6 ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d
ReplicationPad2d ReplicationPad3d SELU SiLU Sigmoid SmoothL1Loss SoftMarginLoss Softmax Softmax2d Softmin
Softplus Softshrink Softsign Tanh Tanhshrink Threshold TripletMarginLoss Unflatten Unfold Upsample
UpsamplingBilinear2d UpsamplingNearest2d ZeroPad1d ZeroPad2d ZeroPad3d
"""
# Layers that have parameters or not, as their arguments say; those that they have are no random numbers.
NORMALIZATIONS = """
BatchNorm1d BatchNorm2d BatchNorm3d GroupNorm InstanceNorm1d InstanceNorm2d InstanceNorm3d LayerNorm RMSNorm
"""


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


# In C, and no operators of ATen: conversions, operators of Python, ways to make tensors.
_IN_C = _names(
    """
__abs__ __add__ __div__ __floordiv__ __iadd__ __idiv__ __ifloordiv__ __imod__ __imul__ __invert__
__isub__ __itruediv__ __matmul__ __mod__ __mul__ __neg__ __pos__ __radd__ __rand__ __rmul__ __ror__
__rxor__ __setitem__ __delitem__ __sub__ __truediv__ __eq__ __ne__ __lt__ __le__ __gt__ __ge__ bfloat16
bool byte cdouble cfloat char double float half int long new_tensor short asarray
"""
)
# Python code of torch that means one operation; other Python code of torch is interpreted like the user's.
_IN_PYTHON = _names(
    """
_arg_requires_grad _assert _check _check_arg_device _check_index _check_is_size _check_not_implemented
_check_tensor_all _check_tensor_all_with _check_type _check_value _check_with _is_make_fx_tracing
_isinstance _threshold _sym_sqrt pow pow_ __floordiv__ __ipow__ __pow__ __rdiv__ __rfloordiv__
__rlshift__ __rmatmul__ __rmod__ __rpow__ __rrshift__ __rsub__ __rtruediv__ __format__ __repr__
adaptive_avg_pool2d adaptive_avg_pool3d adaptive_max_pool1d adaptive_max_pool1d_with_indices
adaptive_max_pool2d adaptive_max_pool2d_with_indices adaptive_max_pool3d
adaptive_max_pool3d_with_indices affine_grid alpha_dropout atleast_1d atleast_2d atleast_3d batch_norm
binary_cross_entropy binary_cross_entropy_with_logits block_diag broadcast_tensors cartesian_prod cdist
celu chain_matmul cholesky cosine_embedding_loss cross_entropy ctc_loss dropout dropout1d dropout2d
dropout3d eig einsum elu embedding embedding_bag feature_alpha_dropout fold fractional_max_pool2d
fractional_max_pool2d_with_indices fractional_max_pool3d fractional_max_pool3d_with_indices
gaussian_nll_loss glu grid_sample group_norm grouped_mm hardsigmoid hardswish hardtanh
hinge_embedding_loss huber_loss instance_norm interpolate istft kl_div l1_loss layer_norm leaky_relu
linear_cross_entropy local_response_norm log_softmax lp_pool1d lp_pool2d lp_pool3d lstsq lu
margin_ranking_loss max_pool1d max_pool1d_with_indices max_pool2d max_pool2d_with_indices max_pool3d
max_pool3d_with_indices max_unpool1d max_unpool2d max_unpool3d meshgrid mish mse_loss
multi_head_attention_forward multi_margin_loss multilabel_margin_loss multilabel_soft_margin_loss
nll_loss norm normalize pad poisson_nll_loss qr relu relu6 rms_norm scaled_addmm scaled_grouped_mm
scaled_mm selu sigmoid silu smooth_l1_loss soft_margin_loss softmax softmin softsign solve split stft
sym_float sym_int sym_ite sym_max sym_min sym_not sym_sqrt sym_sum symeig tanh tanhshrink tensordot
threshold triplet_margin_loss triplet_margin_with_distance_loss typename unflatten unfold unique
unique_consecutive unravel_index upsample upsample_bilinear upsample_nearest
"""
)


# What these give is memory that means something to their library alone, and is never the same twice.
_PACKS = "fbgemm_pack"


def kind_of_function(function: Any) -> str:
    """leaf: one operation; inline: code of torch's that is interpreted; refused: neither is known."""
    name = function.__name__
    if isinstance(function, (types.FunctionType, types.MethodType)):
        return "leaf" if name in _IN_PYTHON else "inline"
    if name in _IN_C:
        return "leaf"
    for prefix in ("", "special_", "linalg_", "fft_"):
        packet = getattr(torch.ops.aten, prefix + name, None)
        if isinstance(packet, torch._ops.OpOverloadPacket):
            return kind_of_operator(packet)
    return "refused"


def _schemas(operator: Any) -> list[Any]:
    """Of all overloads on tensors but those that write to `out`."""
    if isinstance(operator, torch._ops.OpOverload):
        return [operator._schema]
    schemas = [getattr(operator, name)._schema for name in operator.overloads()]
    return [s for s in schemas if not any(a.is_out for a in s.arguments) and not _writes_a_list(s)]


def _writes_a_list(schema: Any) -> bool:
    """TorchScript's methods of lists have names of operators, too: `sort`, `add_`. Operators on lists of
    tensors begin with an underscore."""
    written = [str(a.type) for a in schema.arguments if a.alias_info is not None and a.alias_info.is_write]
    return any(kind.startswith("List[") for kind in written) and not schema.name.startswith("aten::_")


def kind_of_operator(operator: Any) -> str:
    """Of torch.ops: a leaf where the schemas say that it writes nothing, or what its name says."""
    if _PACKS in str(operator):
        return "refused"
    schemas = _schemas(operator)
    return "leaf" if schemas and all(_writes_self_alone(schema) for schema in schemas) else "refused"


def _writes_self_alone(schema: Any) -> bool:
    """Nothing is written, or the first argument is, which is one tensor, as the name says."""
    written = [
        i for i, a in enumerate(schema.arguments) if a.alias_info is not None and a.alias_info.is_write
    ]
    name = schema.name.split("::")[-1]
    in_place = name.endswith("_") or name.startswith("__i")
    return not written or (in_place and written == [0] and str(schema.arguments[0].type) == "Tensor")
