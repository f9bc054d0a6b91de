# SPDX-License-Identifier: Apache-2.0
"""RNN, GRU and LSTM, which TVM's importer lacks, step by step: the number of steps must be known."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from tvm import relax, tirx
from tvm.relax import op

from dycl_tvm.refusals import CannotDo
from dycl_tvm.shapes import equal, is_tensor_of_known_shape

MOST_STEPS = 256  # each is compiled
_GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}
_ACTIVATIONS = {
    "RNN": ["Tanh"],
    "GRU": ["Sigmoid", "Tanh"],
    "LSTM": ["Sigmoid", "Tanh", "Tanh"],
}


@dataclass(frozen=True)
class _Direction:
    """The weights of one direction, as products want them."""

    builder: Any
    input_gates: Any  # [steps, batch, gates * hidden]: what the inputs add to the gates
    recurrence: Any  # [hidden, gates * hidden]
    recurrence_bias: Any  # [gates * hidden]
    peepholes: Any  # [3 * hidden], or None
    lengths: Any  # [batch]: how many steps count, or None for all
    reset_last: bool  # of a GRU: the product before the reset gate

    def emit(self, value: Any) -> Any:
        return self.builder.emit(value)

    def split(self, value: Any, count: int, axis: int = -1) -> list[Any]:
        parts = self.emit(op.split(value, count, axis))
        return [self.emit(relax.TupleGetItem(parts, index)) for index in range(count)]


State = tuple[Any, Any]  # hidden, and cell of an LSTM
Step = Callable[[_Direction, Any, State], State]


def _rnn_step(d: _Direction, gates: Any, state: State) -> State:
    product = d.emit(op.add(op.matmul(state[0], d.recurrence), d.recurrence_bias))
    return d.emit(op.tanh(op.add(gates, product))), state[1]


def _gru_step(d: _Direction, gates: Any, state: State) -> State:
    hidden = state[0]
    update_in, reset_in, new_in = d.split(gates, 3)
    matrices, biases = d.split(d.recurrence, 3), d.split(d.recurrence_bias, 3)
    products = [d.emit(op.add(op.matmul(hidden, matrices[i]), biases[i])) for i in (0, 1)]
    update = d.emit(op.sigmoid(op.add(update_in, products[0])))
    reset = d.emit(op.sigmoid(op.add(reset_in, products[1])))
    if d.reset_last:
        product = op.multiply(reset, d.emit(op.add(op.matmul(hidden, matrices[2]), biases[2])))
    else:
        product = op.add(op.matmul(d.emit(op.multiply(reset, hidden)), matrices[2]), biases[2])
    new = d.emit(op.tanh(op.add(new_in, d.emit(product))))
    kept = d.emit(op.multiply(update, hidden))
    rest = d.emit(op.subtract(_like(1.0, hidden), update))
    return d.emit(op.add(d.emit(op.multiply(rest, new)), kept)), state[1]


def _lstm_step(d: _Direction, gates: Any, state: State) -> State:
    hidden, cell = state
    product = d.emit(op.add(op.matmul(hidden, d.recurrence), d.recurrence_bias))
    taken, given, forgotten, new = d.split(d.emit(op.add(gates, product)), 4)
    if d.peepholes is not None:
        for_taken, for_given, for_forgotten = d.split(d.peepholes, 3)
        taken = d.emit(op.add(taken, op.multiply(for_taken, cell)))
        forgotten = d.emit(op.add(forgotten, op.multiply(for_forgotten, cell)))
    fresh = d.emit(op.multiply(op.sigmoid(taken), op.tanh(new)))
    cell = d.emit(op.add(op.multiply(op.sigmoid(forgotten), cell), fresh))
    if d.peepholes is not None:
        given = d.emit(op.add(given, op.multiply(for_given, cell)))
    return d.emit(op.multiply(op.sigmoid(given), op.tanh(cell))), cell


_STEPS: dict[str, Step] = {"RNN": _rnn_step, "GRU": _gru_step, "LSTM": _lstm_step}


def recurrent(kind: str) -> Callable[[Any, Sequence[Any], Any, int], Any]:
    """The formula of the operator: all steps of all directions, one after the other."""

    def formula(builder: Any, inputs: Sequence[Any], attributes: Any, opset: int) -> Any:
        given = [*inputs, *[None] * (8 - len(inputs))]
        x, weights, recurrences, biases, lengths, hidden, cell, peepholes = given
        directions = _check(kind, x, weights, recurrences, attributes)
        batch_first = bool(attributes.get("layout", 0))
        if batch_first:
            x, hidden, cell = (None if one is None else _swapped(builder, one) for one in (x, hidden, cell))
        states = []
        outputs = []
        for number, backwards in enumerate(directions):
            pick = _picker(builder, number)
            direction = _direction(kind, builder, x, pick(weights), pick(recurrences), pick(biases),
                                   pick(peepholes), lengths, attributes)  # fmt: skip
            start = [
                pick(one) if one is not None else _zeros(builder, x, recurrences) for one in (hidden, cell)
            ]
            steps, end = _run(_STEPS[kind], direction, _steps_of(x), (start[0], start[1]), backwards)
            outputs.append(builder.emit(op.stack(steps, 0)))
            states.append(end)
        results = [builder.emit(op.stack(outputs, 1))]
        results += [builder.emit(op.stack([state[i] for state in states], 0)) for i in (0, 1)]
        if batch_first:
            results[0] = builder.emit(op.permute_dims(results[0], [2, 0, 1, 3]))
            results[1:] = [_swapped(builder, one) for one in results[1:]]
        return relax.Tuple(results if kind == "LSTM" else results[:2])

    return formula


def _check(kind: str, x: Any, weights: Any, recurrences: Any, attributes: Any) -> list[bool]:
    """For each direction, whether it goes backwards. Says what we do not do."""
    direction = attributes.get("direction", b"forward")
    direction = direction.decode() if isinstance(direction, bytes) else direction
    directions = {"forward": [False], "reverse": [True], "bidirectional": [False, True]}[direction]
    if not all(map(is_tensor_of_known_shape, (x, weights, recurrences))):
        raise CannotDo("its sizes are not known")
    steps = x.ty.shape.values[1 if attributes.get("layout", 0) else 0]
    if not isinstance(steps, tirx.IntImm) or int(steps) > MOST_STEPS:
        raise CannotDo(f"its steps are written out for tvm, and there are {_count(steps)}")
    names = [one.decode() if isinstance(one, bytes) else one for one in attributes.get("activations", ())]
    if names and names != _ACTIVATIONS[kind] * len(directions):
        raise CannotDo("activations other than the usual are not done for tvm")
    if attributes.get("clip") or attributes.get("input_forget"):
        raise CannotDo("clip and input_forget are not done for tvm")
    return directions


def _count(steps: Any) -> str:
    return str(int(steps)) if isinstance(steps, tirx.IntImm) else "as many as the input has"


def _direction(
    kind: str,
    builder: Any,
    x: Any,
    weight: Any,
    recurrence: Any,
    bias: Any,
    peepholes: Any,
    lengths: Any,
    attributes: Any,
) -> _Direction:
    emit = builder.emit
    rows = weight.ty.shape.values[0]
    if bias is None:
        width = [int(rows)]
        biases = [relax.const(np.zeros(width, str(x.ty.dtype)), str(x.ty.dtype))] * 2
    else:
        both = emit(op.split(bias, 2, 0))
        biases = [emit(relax.TupleGetItem(both, index)) for index in (0, 1)]
    product = emit(op.matmul(x, emit(op.permute_dims(weight, [1, 0]))))
    return _Direction(
        builder,
        emit(op.add(product, biases[0])),
        emit(op.permute_dims(recurrence, [1, 0])),
        biases[1],
        peepholes,
        lengths,
        bool(attributes.get("linear_before_reset", 0)),
    )


def _run(
    step: Step, direction: _Direction, count: int, state: State, backwards: bool
) -> tuple[list[Any], State]:
    """What each step gave, in the order of the input, and the last state."""
    hidden: list[Any] = []
    parts = direction.split(direction.input_gates, count, 0) if count > 1 else [direction.input_gates]
    for index in reversed(range(count)) if backwards else range(count):
        gates = direction.emit(op.squeeze(parts[index], [0]))
        output, state = _counted(direction, index, step(direction, gates, state), state)
        hidden.append(output)
    return (hidden[::-1] if backwards else hidden), state


def _counted(d: _Direction, index: int, new: State, old: State) -> tuple[Any, State]:
    """The output of a step and the state after it: 0 and the old one where the sequence is shorter."""
    if d.lengths is None:
        return new[0], new
    place = relax.const(np.array(index, str(d.lengths.ty.dtype)), str(d.lengths.ty.dtype))
    counts = d.emit(op.expand_dims(d.emit(op.less(place, d.lengths)), [1]))
    state = d.emit(op.where(counts, new[0], old[0])), d.emit(op.where(counts, new[1], old[1]))
    return d.emit(op.where(counts, new[0], _like(0.0, new[0]))), state


def _steps_of(x: Any) -> int:
    return int(x.ty.shape.values[0])


def _picker(builder: Any, number: int) -> Callable[[Any], Any]:
    """Of a weight or state, the part of one direction."""

    def pick(value: Any) -> Any:
        if value is None:
            return None
        if equal(value.ty.shape.values[0], 1):
            return builder.emit(op.squeeze(value, [0]))
        parts = builder.emit(op.split(value, int(value.ty.shape.values[0]), 0))
        return builder.emit(op.squeeze(builder.emit(relax.TupleGetItem(parts, number)), [0]))

    return pick


def _swapped(builder: Any, value: Any) -> Any:
    """Batch and steps, or batch and directions, changed over."""
    return builder.emit(op.permute_dims(value, [1, 0, 2]))


def _zeros(builder: Any, x: Any, recurrences: Any) -> Any:
    shape = [x.ty.shape.values[1], recurrences.ty.shape.values[2]]
    return builder.emit(op.zeros(relax.ShapeExpr(shape), str(x.ty.dtype)))


def _like(value: float, tensor: Any) -> Any:
    dtype = str(tensor.ty.dtype)
    return relax.const(np.array(value, dtype), dtype)
