// SPDX-License-Identifier: Apache-2.0
// The host operations: work on scalars, sequences, optionals and tensor metadata that stays between
// sub-DNNs. One closed list for the graph, the host plan and the runtime.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace dycl {

enum class HostOp : std::uint8_t {
  // scalars
  Item,      // tensor with one element → scalar of the output's kind; attr decision: what the model wrote
             // ("bool", "int", "float", "item", "tolist", "inner"), absent where it reads no decision
  ToTensor,  // scalar → 0-d tensor; attr dtype (name); attr dims: [] or [1]
  Add,
  Sub,
  Mul,  // int (overflow raises) or float
  FloorDiv,
  Mod,      // Python's meaning; zero raises
  TrueDiv,  // two ints or two floats → float, rounded once as Python does
  Pow,      // two ints or two floats; two ints give an int, or a float when the exponent is negative: the
            // output's kind says which is expected, and the other one raises
  Neg,
  Abs,        // int or float
  Invert,     // int
  BitLength,  // int → int: how many binary digits its absolute value has, as int.bit_length()
  BitAnd,
  BitOr,
  BitXor,  // two ints or two bools
  Shl,
  Shr,  // ints
  Lt,
  Le,
  Gt,
  Ge,
  Eq,
  Ne,  // two scalars of any kinds, exact (an int is not rounded to meet a float) → bool
  And,
  Or,
  Not,     // bool
  Select,  // bool, a, b of one kind → a if true, else b
  Round,   // int or float → int, half to even; with an int of digits: → the same kind
  Floor,
  Ceil,
  Trunc,  // float (or int) → int
  Math,   // attr function: a name of Python's math module; one or two floats → float, or bool (isnan …)
  ToInt,
  ToFloat,
  ToBool,  // between scalars; float → int truncates, NaN/inf raise
  Const,   // no input → scalar; attr value: i64 (also for bool: 0 or 1) or f64
  Dim,     // tensor → int; attr axis
  Numel,   // tensor → int
  // sequences
  SeqEmpty,   // → seq
  SeqOf,      // values… → seq
  SeqInsert,  // seq, value[, int position] → seq; without a position: append
  SeqErase,   // seq[, int position] → seq; without a position: the last
  SeqAt,      // seq, int → element; negative counts from the end; out of range raises
  SeqLen,     // seq → int
  SeqConcat,  // seq of tensors → tensor; attrs axis, new_axis (0|1: stack), dims: the result's sizes when
              // the seq is empty; without them its type's, or it raises if they are not known
  SeqSplit,   // tensor[, int64 tensor of sizes (0-d: chunk size)] → seq; attrs axis, keepdims
  // optionals
  Some,      // value → optional
  None,      // → optional
  HasValue,  // optional → bool
  Unwrap,    // optional → value; none raises
  // tensor metadata: no element is touched
  View,  // tensor → tensor of the same elements; attr dims: sizes, -1 for one that follows,
         // 0 for "copy this axis of the input"
  Row,   // tensor, int i → tensor[i] of the first axis, a view; out of range raises; attr draws: the name of
         // the input whose rows are base draws, of which there are no more then (draws_used_up)
  // effects: kept in order, never removed
  Check,  // bool, or bool tensor with one element → nothing; true raises: attrs type ("IndexError"), message
  Write,  // tensor → nothing; attr input: the number of an input of the caller's, which has these contents if
          // the run raises from here on (what it has if the run returns, the return says)
};

inline constexpr HostOp kLastHostOp = HostOp::Write;

// Operations of one family work on the same kind of value, and one function runs them.
enum class HostOpFamily : std::uint8_t {
  Constant,  // no operand
  Scalar,    // scalars in, one scalar out: scalar_operation() says what they mean
  Tensor,    // one element, the sizes or a view of a tensor
  Sequence,
  Optional,
  Effect,  // no result
};
HostOpFamily family_of(HostOp op);

// Can the operation raise where Python does? Such steps keep their order and stay although nobody uses
// their result. (Overflow of 64 bits is ours, not Python's, and does not count.)
bool may_raise(HostOp op);

std::string_view name_of(HostOp op);  // "item", "to_tensor", "seq_insert", …
std::optional<HostOp> host_op_from_name(std::string_view name);

}  // namespace dycl
