# SPDX-License-Identifier: Apache-2.0
"""Functions of numpy that follow from their arguments, and those that write to their first argument.

Left out by intent: what reads files or the clock, draws numbers, calls functions that it is given, gives
memory that nobody has written (`empty`), asks where arrays lie (`shares_memory`), or depends on settings of
the process (`array2string`, `seterr`).
"""

from __future__ import annotations

_ARITHMETIC = """abs absolute acos acosh add arccos arccosh arcsin arcsinh arctan arctan2 arctanh asin asinh
atan atan2 atanh bitwise_and bitwise_count bitwise_invert bitwise_left_shift bitwise_not bitwise_or
bitwise_right_shift bitwise_xor cbrt ceil conj conjugate copysign cos cosh deg2rad degrees
divide divmod equal exp exp2 expm1 fabs float_power floor floor_divide fmax fmin fmod frexp gcd
greater greater_equal heaviside hypot invert isfinite isinf isnan isnat lcm ldexp left_shift
less less_equal log log10 log1p log2 logaddexp logaddexp2 logical_and logical_not logical_or
logical_xor matmul matvec maximum minimum mod modf multiply negative nextafter not_equal
positive pow power rad2deg radians reciprocal remainder right_shift rint sign signbit sin sinh
spacing sqrt square subtract tan tanh true_divide trunc vecdot vecmat"""

_WHOLE_ARRAYS = """all allclose amax amin angle any append argmax argmin argpartition argsort argwhere around
array_equal array_equiv array_split astype atleast_1d atleast_2d atleast_3d average bincount
block broadcast_arrays broadcast_to busday_count busday_offset can_cast choose clip column_stack
common_type compress concat concatenate convolve copy corrcoef correlate count_nonzero cov cross
cumprod cumsum cumulative_prod cumulative_sum datetime_as_string delete diag diag_indices_from
diagflat diagonal diff digitize dot dsplit dstack ediff1d einsum einsum_path expand_dims extract
fix flatnonzero flip fliplr flipud full_like geomspace gradient histogram histogram2d
histogram_bin_edges histogramdd hsplit hstack i0 imag inner insert interp intersect1d is_busday
isclose iscomplex iscomplexobj isin isneginf isposinf isreal isrealobj ix_ kron lexsort linspace
logspace matrix_transpose max mean median meshgrid min min_scalar_type moveaxis nan_to_num
nanargmax nanargmin nancumprod nancumsum nanmax nanmean nanmedian nanmin nanpercentile nanprod
nanquantile nanstd nansum nanvar ndim nonzero ones_like outer packbits pad partition percentile
permute_dims poly polyadd polyder polydiv polyfit polyint polymul polysub polyval prod ptp
quantile ravel ravel_multi_index real real_if_close repeat reshape resize result_type roll
rollaxis roots rot90 round searchsorted select setdiff1d setxor1d shape sinc size sort
sort_complex split squeeze stack std sum swapaxes take take_along_axis tensordot tile trace
transpose trapezoid tril tril_indices_from trim_zeros triu triu_indices_from union1d unique
unique_all unique_counts unique_inverse unique_values unpackbits unravel_index unstack unwrap
vander var vdot vsplit vstack where zeros_like"""

_MAKERS = """arange array asanyarray asarray ascontiguousarray asfortranarray asarray_chkfinite bartlett
base_repr binary_repr blackman broadcast_shapes datetime_data diag_indices eye full hamming
hanning identity indices isdtype isfortran isscalar issubdtype iterable kaiser mintypecode ones
promote_types require tri tril_indices triu_indices typename zeros"""

_TYPES = """bool bool_ byte bytes_ cdouble clongdouble complex128 complex256 complex64 csingle double dtype
finfo float128 float16 float32 float64 half iinfo int16 int32 int64 int8 int_ intc intp long
longdouble longlong short single str_ ubyte uint uint16 uint32 uint64 uint8 uintc uintp ulong
ulonglong ushort"""

_READING_METHODS = """__abs__ __add__ __and__ __bool__ __complex__ __contains__ __divmod__ __eq__ __float__
__floordiv__ __ge__ __getitem__ __gt__ __index__ __int__ __invert__ __iter__ __le__ __len__
__lshift__ __lt__ __matmul__ __mod__ __mul__ __ne__ __neg__ __or__ __pos__ __pow__ __radd__
__rand__ __rdivmod__ __rfloordiv__ __rlshift__ __rmatmul__ __rmod__ __rmul__ __ror__ __rpow__
__rrshift__ __rshift__ __rsub__ __rtruediv__ __rxor__ __sub__ __truediv__ __xor__ __copy__
__deepcopy__ __hash__ __round__ all any argmax argmin argpartition argsort astype choose clip
compress conj conjugate copy cumprod cumsum diagonal dot flatten getfield item max mean min
nonzero prod ravel repeat reshape round searchsorted squeeze std sum swapaxes take tobytes
tolist trace transpose var view is_integer as_integer_ratio hex fromhex bit_count"""

_LINALG = """cholesky cond cross det diagonal eig eigh eigvals eigvalsh inv lstsq matmul matrix_norm
matrix_power matrix_rank matrix_transpose multi_dot norm outer pinv qr slogdet solve svd svdvals
tensordot tensorinv tensorsolve trace vecdot vector_norm"""

_FFT = """fft fft2 fftfreq fftn fftshift hfft ifft ifft2 ifftn ifftshift ihfft irfft irfft2 irfftn rfft
rfft2 rfftfreq rfftn"""

_SCALARS = """generic number integer signedinteger unsignedinteger inexact floating complexfloating float64
float32 float16 longdouble int8 int16 int32 int64 uint8 uint16 uint32 uint64 longlong ulonglong
bool complex64 complex128 str_ bytes_"""

# Where they are in numpy, their names, and why they may be run.
FUNCTIONS: list[tuple[str, str, str]] = [
    ("", _ARITHMETIC, "it computes a new array from arrays"),
    ("", _WHOLE_ARRAYS, "it computes a new array, or a view, from arrays"),
    ("", _MAKERS, "it makes an array of values"),
    ("", _TYPES, "it makes a scalar, or describes a dtype"),
    ("linalg", _LINALG, "it computes a new array from arrays"),
    ("fft", _FFT, "it computes a new array from arrays"),
    ("ndarray", _READING_METHODS, "it reads the array"),
    *((name, _READING_METHODS, "a scalar does not change") for name in _SCALARS.split()),
    (
        "dtype",
        "__eq__ __ne__ __lt__ __le__ __gt__ __ge__ __hash__ __repr__ __str__ __getitem__ __len__",
        "a dtype does not change",
    ),
    ("ufunc", "reduce accumulate outer reduceat", "it computes a new array from arrays"),
]

# … and at which place the array is that they write to.
WRITES: list[tuple[str, str, int]] = [
    ("ufunc", "at", 1),
    ("", "copyto fill_diagonal place put put_along_axis putmask", 0),
    (
        "ndarray",
        "fill sort put partition __setitem__ __iadd__ __isub__ __imul__ __itruediv__ __ifloordiv__ __imod__ "
        "__ipow__ __imatmul__ __iand__ __ior__ __ixor__ __ilshift__ __irshift__",
        0,
    ),
]
