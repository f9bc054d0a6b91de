# SPDX-License-Identifier: Apache-2.0
"""What each torch function, layer and tensor attribute is to the rewriting machine."""

from __future__ import annotations

import operator
import types
from typing import Any

import torch
from torch.nn import modules as layers

from dycl.prelude import pure_torch


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


READS = _names("item tolist __bool__ __int__ __float__ __index__ __complex__ is_nonzero __nonzero__ __long__")
METADATA = _names(
    "size dim ndimension stride numel nelement is_contiguous is_floating_point is_complex is_signed "
    "element_size storage_offset is_tensor get_device type __len__ is_same_size "
    "result_type can_cast promote_types is_conj is_neg is_inference has_names dense_dim sparse_dim "
    "is_storage get_default_dtype get_default_device is_grad_enabled is_autocast_enabled "
    "is_inference_mode_enabled finfo iinfo __hash__ dim_order is_coalesced is_pinned __dir__"
)
INLINE = _names(
    "cond while_loop map vmap scan associative_scan equal allclose __contains__ __iter__ checkpoint "
    "checkpoint_sequential foreach_map __reversed__ __array_priority__"
)
RANDOM = _names(
    "rand randn randint randperm rand_like randn_like randint_like normal bernoulli multinomial poisson "
    "binomial random_ uniform_ normal_ exponential_ geometric_ cauchy_ log_normal_ bernoulli_ rrelu "
    "rrelu_ gumbel_softmax native_dropout feature_dropout alpha_dropout_ seed initial_seed get_rng_state"
)
IMPURE = _names(
    "manual_seed set_rng_state set_default_dtype set_default_device set_default_tensor_type save load "
    "set_num_threads set_num_interop_threads set_printoptions set_grad_enabled "
    "use_deterministic_algorithms set_warn_always set_float32_matmul_precision compile set_flush_denormal "
    "numpy from_numpy empty empty_like empty_strided new_empty new_empty_strided empty_permuted"
)
REFUSED = _names(
    "data_ptr storage untyped_storage _typed_storage backward register_hook retain_grad "
    "share_memory_ is_shared pin_memory as_strided_ set_ resize_ requires_grad_ "
    "detach_ __array__ __dlpack__ __dlpack_device__ __deepcopy__ __reduce_ex__ __setstate__ to_sparse "
    "to_mkldnn __array_wrap__ register_post_accumulate_grad_hook _make_subclass as_subclass frombuffer "
    "from_file record_stream is_set_to module_load"
)
_OPERATORS = _names(
    "add sub mul truediv floordiv mod pow matmul neg pos invert inv not_ abs and_ or_ xor lshift rshift "
    "lt le eq ne gt ge iadd isub imul itruediv ifloordiv imod ipow imatmul iand ior ixor ilshift irshift "
    "getitem setitem"
)
_OPERATOR_FUNCTIONS = frozenset(getattr(operator, name) for name in _OPERATORS - {"not_"})
# Where functions that mean one operation are defined; pure_torch lists them by name.
_LEAF_MODULES = _names(
    "torch torch.functional torch.random torch.nn.functional torch._tensor torch._C._nn torch._jit_internal "
    "torch.special torch.linalg torch.fft torch._C torch._C._linalg torch._C._special torch._C._fft "
    "torch._lowrank torch._VF torch.nn.modules.activation torch._linalg_utils"
)


_FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, types.MethodType)
_METHODS = (types.MethodDescriptorType, types.WrapperDescriptorType, types.MethodWrapperType)


def classify(function: object) -> str:
    """leaf, inline, metadata, reads, random, impure or refused: by name, never by module."""
    if callable(function) and function in _OPERATOR_FUNCTIONS:
        return "leaf"
    if isinstance(function, torch.nn.Module):
        return layer(function)
    if isinstance(function, _FUNCTIONS):
        owner = getattr(function, "__self__", None)
        if isinstance(owner, torch.nn.Module):
            return "inline"
    elif isinstance(function, (torch._ops.OpOverload, torch._ops.OpOverloadPacket)):
        return _named(function.__name__.split(".")[0]) or pure_torch.kind_of_operator(function)
    elif isinstance(function, torch._ops.HigherOrderOperator):
        return "inline"
    elif isinstance(function, Getter):
        return "leaf"
    elif not isinstance(function, _METHODS):
        return "inline"
    if not _is_torch(function):
        return "inline"
    return _named(function.__name__) or pure_torch.kind_of_function(function)


def _is_torch(function: Any) -> bool:
    owner = getattr(function, "__objclass__", None)
    if owner is not None:
        return isinstance(owner, type) and issubclass(torch.Tensor, owner) and owner is not object
    bound = getattr(function, "__self__", None)
    if isinstance(bound, torch.Tensor):
        return True
    module = getattr(function, "__module__", None)
    if module is None or (isinstance(bound, type) and bound.__module__ == "torch._C"):
        return bound is not None and "torch" in str(getattr(bound, "__module__", bound))
    return module in _LEAF_MODULES


def _named(name: str) -> str | None:
    for names, answer in (
        (READS, "reads"),
        (METADATA, "metadata"),
        (INLINE, "inline"),
        (RANDOM, "random"),
        (IMPURE, "impure"),
        (REFUSED, "refused"),
    ):
        if name in names:
            return answer
    return None


_DROPOUTS = (layers.dropout._DropoutNd, torch.nn.RReLU)
_HOOKS = tuple(
    name for name in torch.nn.Module().__dict__ if name.endswith("_hooks") and "state_dict" not in name
)


def layer(module: torch.nn.Module, draws: bool = False) -> str:
    """leaf: forward is one operation; refused: it is random or keeps statistics, being in training mode. With
    `draws`, the functions that a dropout layer calls have models."""
    kind = type(module)
    if not kind.__module__.startswith("torch.nn.modules.") or isinstance(module, pure_torch.CONTAINERS):
        return "inline"
    if kind is torch.nn.Module or "forward" in module.__dict__ or _has_hooks(module) or _is_patched(kind):
        return "inline"
    lists = [child if isinstance(child, torch.nn.ModuleList) else [child] for child in module.children()]
    if any(layer(part, draws) == "inline" for parts in lists for part in parts):
        return "inline"
    if draws and isinstance(module, layers.dropout._DropoutNd) and module.training:
        return "inline"
    trains = any(child.training and _differs_in_training(child) for child in module.modules())
    return "refused" if trains else "leaf"


_CALLS = ("__call__", "_call_impl", "forward")
_TORCH_FOLDER = torch.__path__[0]


def _is_patched(kind: type[torch.nn.Module]) -> bool:
    """Somebody has put a function of his own where torch's is: it runs as it is written. Names tell nothing,
    since functools.wraps copies them."""
    codes = (getattr(getattr(kind, name), "__code__", None) for name in _CALLS)
    return any(code is None or not code.co_filename.startswith(_TORCH_FOLDER) for code in codes)


def _has_hooks(module: torch.nn.Module) -> bool:
    hooks = (layers.module._global_forward_hooks, layers.module._global_forward_pre_hooks)
    return any(getattr(module, name) for name in _HOOKS) or any(hooks)


def hooks(module: torch.nn.Module) -> tuple[Any, Any] | None:
    """The forward hooks that a call runs: (before, after), each a tuple of (hook, with_kwargs)."""
    if not _has_hooks(module):
        return None
    with_kwargs = (module._forward_pre_hooks_with_kwargs, module._forward_hooks_with_kwargs)
    everywhere = (layers.module._global_forward_pre_hooks, layers.module._global_forward_hooks)
    own = (module._forward_pre_hooks, module._forward_hooks)
    sides = zip(everywhere, own, with_kwargs, strict=True)
    before, after = (
        (
            *((hook, False) for hook in shared.values()),
            *((hook, number in named) for number, hook in mine.items()),
        )
        for shared, mine, named in sides
    )
    return before, after


def _differs_in_training(module: torch.nn.Module) -> bool:
    if isinstance(module, layers.batchnorm._NormBase):
        keeps = module.track_running_stats or module.running_mean is not None
        return bool(keeps) and (isinstance(module, layers.batchnorm._BatchNorm) or module.track_running_stats)
    if isinstance(module, _DROPOUTS):
        return getattr(module, "p", 1.0) != 0.0
    chance = getattr(module, "dropout", 0.0)  # RNNs and attention keep theirs as a number
    return isinstance(chance, float) and chance != 0.0


class Getter:
    """Reads one attribute of a tensor that is a tensor itself, such as `.T`."""

    def __init__(self, name: str) -> None:
        self.__name__ = name

    def __call__(self, tensor: torch.Tensor) -> object:
        return getattr(tensor, self.__name__)

    def __reduce__(self) -> tuple[Any, ...]:
        return getter, (self.__name__,)


_getters: dict[str, Getter] = {}
_STATIC: dict[str, object] = {
    "requires_grad": False,
    "grad": None,
    "grad_fn": None,
    "is_leaf": True,
    "retains_grad": False,
    "output_nr": 0,
    "names": None,
    "is_meta": False,
    "__class__": torch.Tensor,
    "__dict__": {},
    "__doc__": torch.Tensor.__doc__,
    "__module__": "torch",
    "_backward_hooks": None,
}
_RUN_DEPENDENT = REFUSED | _names("_version _cdata __cuda_array_interface__ __array_interface__ volatile")


_AUTOGRAD = _names(
    "backward register_hook retain_grad requires_grad_ detach_ register_post_accumulate_grad_hook"
)


def _why_not(name: str) -> tuple[str, str]:
    """For an attribute that only a real tensor has: what is wrong with it, and a way out."""
    if name in _AUTOGRAD:
        reason = "works on gradients, which a compiled program does not compute"
        return f"Tensor.{name} {reason}", "remove it, or use it outside of the model"
    if name in ("__array__", "__array_wrap__", "__array_interface__"):
        return f"Tensor.{name} gives the elements to numpy", "use the functions of torch instead"
    if name in ("to_sparse", "to_mkldnn"):
        return f"Tensor.{name} gives a tensor that is not dense", "keep the tensor dense"
    reason = "depends on where the tensor lies in memory, or changes that"
    return f"Tensor.{name} {reason}", "use the values of the tensor, its shape or its dtype"


def attribute_of_all(name: str) -> tuple[str, object] | None:
    """How `tensor.name` is answered where the answer is the same for all tensors."""
    if name == "names":
        return None
    if name in _STATIC:
        return "static", _STATIC[name]
    if name in _RUN_DEPENDENT:
        return "refused", _why_not(name)
    found = getattr(torch.Tensor, name)  # AttributeError as eager gives it, but for the class
    if callable(found) and not isinstance(found, type):
        return "method", found
    return None


def attribute(fake: torch.Tensor, name: str) -> tuple[str, object]:
    """How `tensor.name` is answered for a tensor that is known only by its type; the others are."""
    if name == "names":
        return "static", (None,) * fake.dim()
    value = getattr(fake, name)
    if isinstance(value, torch.Tensor):
        return "leaf", getter(name)
    return "static", value


def getter(name: str) -> Getter:
    return _getters.setdefault(name, Getter(name))
