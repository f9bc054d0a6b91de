# SPDX-License-Identifier: Apache-2.0
"""Packed sequences: what torch.nn.utils.rnn and the recurrent layers, which run as they are written, ask C
for. C reads numbers of tensors where nobody sees it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from .draws import raise_if
from .refused import Refused

_NOT_SORTED = (
    "`lengths` array must be sorted in decreasing order when `enforce_sorted` is True. You can pass "
    "`enforce_sorted=False` to pack_padded_sequence and/or pack_sequence to sidestep this requirement if you "
    "do not need ONNX exportability."
)
_EMPTY_SAMPLE = (
    "Length of all samples has to be greater than 0, but found an element in 'lengths' that is <= 0"
)


def pack(input: Any, lengths: Any, batch_first: Any = False) -> Any:
    """Row by row, the sequences that have a step of this number; and how many those are."""
    _check_lengths(lengths)
    steps = input.transpose(0, 1) if batch_first else input
    batch, count = steps.size(1), lengths.size(0)
    if input.numel() == 0:
        raise RuntimeError("Cannot pack empty tensors.")
    if count != batch:
        raise RuntimeError(
            f"Expected `len(lengths)` to be equal to batch_size, but got {count} (batch_size={batch})"
        )
    raise_if(lengths[-1] <= 0, _EMPTY_SAMPLE)
    raise_if((lengths[1:] > lengths[:-1]).any(), _NOT_SORTED)
    batch_sizes = _has_step(lengths, int(lengths[0])).sum(1)
    return steps[_has_step(lengths, steps.size(0))], batch_sizes


def _check_lengths(lengths: Any) -> None:
    if lengths.dim() != 1 or lengths.dtype != torch.int64:
        kind = lengths.type().split(".")[-1].removesuffix("Tensor")
        raise RuntimeError(
            f"'lengths' argument should be a 1D CPU int64 tensor, but got {lengths.dim()}D cpu {kind} tensor"
        )


def pad(data: Any, batch_sizes: Any, batch_first: Any, padding_value: Any, total_length: Any) -> Any:
    """The sequences side by side, and their lengths."""
    if isinstance(total_length, bool):
        raise TypeError("_pad_packed_sequence(): argument 'total_length' (position 5) must be int, not bool")
    _check_lengths(batch_sizes)
    _check_rows(data, batch_sizes)
    _check_padding(data.dtype, padding_value)
    lengths = _lengths_of(batch_sizes, int(batch_sizes[0]))
    padded = _spread(data, _has_step(lengths, total_length), padding_value)
    return padded.transpose(0, 1) if batch_first else padded, lengths


def _check_padding(dtype: Any, value: Any) -> None:
    """Larger types of floats are checked by torch itself."""
    names = {torch.float16: "Half", torch.bfloat16: "BFloat16"}
    if dtype in names and torch.finfo(dtype).max < abs(value) < float("inf"):
        raise RuntimeError(f"value cannot be converted to type c10::{names[dtype]} without overflow")


def _lengths_of(batch_sizes: Any, batch: Any) -> Any:
    return (batch_sizes.unsqueeze(1) > torch.arange(batch)).sum(0)


def _has_step(lengths: Any, steps: Any) -> Any:
    return lengths > torch.arange(steps).unsqueeze(1)


def _check_rows(data: Any, batch_sizes: Any) -> None:
    raise_if((batch_sizes < 0).any(), "narrow(): length must be non-negative.")
    raise_if((batch_sizes[1:] > batch_sizes[:-1]).any(), "the batch sizes of a packed sequence grow")
    if int(batch_sizes.sum()) > data.size(0):
        ends = batch_sizes.cumsum(0)
        first = int((ends > data.size(0)).to(torch.uint8).argmax())
        length = int(batch_sizes[first])
        start = int(ends[first]) - length
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({data.size(0)}).")


def _spread(data: Any, has_step: Any, padding_value: Any, first: Any = 0) -> Any:
    """`first` is the first of the rows that are taken, one after the other."""
    row = (has_step.flatten().cumsum(0) - 1).clamp(min=0) + first
    rows = data.index_select(0, row).view(*has_step.shape, *data.shape[1:])
    wanted = has_step.view(*has_step.shape, *[1 for _ in data.shape[1:]])
    return torch.where(wanted, rows, torch.full((), padding_value, dtype=data.dtype))


# What a step makes of its input times the weights, the state times the weights, and the state, which ends
# with the cells of an LSTM. All are of the shape [sequences, …].


def _lstm_step(of_input: Any, of_state: Any, state: Any) -> Any:
    keep, forget, cell, give = (of_input + of_state).chunk(4, 1)
    cells = torch.sigmoid(forget) * state[1] + torch.sigmoid(keep) * torch.tanh(cell)
    return torch.sigmoid(give) * torch.tanh(cells), cells


def _gru_step(of_input: Any, of_state: Any, state: Any) -> Any:
    input_reset, input_update, input_new = of_input.chunk(3, 1)
    state_reset, state_update, state_new = of_state.chunk(3, 1)
    new = torch.tanh(input_new + torch.sigmoid(input_reset + state_reset) * state_new)
    return ((state[0] - new) * torch.sigmoid(input_update + state_update) + new,)


def _tanh_step(of_input: Any, of_state: Any, state: Any) -> Any:
    return (torch.tanh(of_input + of_state),)


def _relu_step(of_input: Any, of_state: Any, state: Any) -> Any:
    return (torch.relu(of_input + of_state),)


def _times_weights(rows: Any, weights: Any, place: Any) -> Any:
    """`place` 0: the input; 1: the state. Biases may follow, and then what projects the state of an LSTM."""
    bias = weights[place + 2] if len(weights) > 3 else None
    return torch.nn.functional.linear(rows, weights[place], bias)


def _run_layer(step: Any, inputs: Any, has_step: Any, states: Any, directions: Any) -> Any:
    """All directions at once, the last of two from the end: [steps, sequences, …], and the last states. A
    sequence that has no step of the number keeps its state."""
    count = has_step.size(0)
    of_inputs = [_times_weights(rows, weights, 0) for rows, weights in zip(inputs, directions, strict=True)]
    outputs = [torch.zeros(count, *state[0].shape, dtype=inputs[0].dtype) for state in states]
    for number in range(count):
        for direction, weights in enumerate(directions):
            place = count - 1 - number if direction else number
            of_state = _times_weights(states[direction][0], weights, 1)
            made = step(of_inputs[direction][place], of_state, states[direction])
            if len(weights) % 2 == 1:
                made = (torch.nn.functional.linear(made[0], weights[-1]), *made[1:])
            wanted = has_step[place].unsqueeze(1)
            states[direction] = tuple(
                [torch.where(wanted, new, old) for new, old in zip(made, states[direction], strict=True)]
            )
            outputs[direction][place] = made[0]
    return torch.cat(outputs, 2), states


def _recurrent(step: Any, plain: Any, arguments: Any, options: Any) -> Any:
    if options:
        raise Refused(
            "a recurrent function of torch is called with arguments by name", "give them in their order"
        )
    if not isinstance(arguments[3], bool):  # without batch sizes there are flags from here on
        return _run_packed(step, *arguments)
    return plain(*arguments)


def _run_packed(
    step: Any,
    data: Any,
    batch_sizes: Any,
    initial: Any,
    params: Any,
    _: Any,
    num_layers: Any,
    dropout: Any,
    train: Any,
    bidirectional: Any,
) -> Any:
    if train and dropout > 0:
        raise Refused(
            "a recurrent layer is in training mode, where it is random", "call model.eval() before compiling"
        )
    initial = initial if isinstance(initial, (tuple, list)) else (initial,)
    sides = 2 if bidirectional else 1
    width = len(params) // (num_layers * sides)
    _check_rows(data, batch_sizes)
    batch = initial[0].size(1)
    if int(batch_sizes[0]) != batch:
        raise RuntimeError(f"Expected hidden states of {int(batch_sizes[0])} sequences, got those of {batch}")
    has_step = _has_step(_lengths_of(batch_sizes, batch), batch_sizes.size(0))
    inputs = [_spread(data, has_step, 0)]
    if bidirectional:  # C counts the rows from the end, of which there may be more than it takes
        inputs.append(_spread(data, has_step, 0, data.size(0) - batch_sizes.sum()))
    last = []
    for layer in range(num_layers):
        places = range(layer * sides, (layer + 1) * sides)
        directions = [params[place * width : (place + 1) * width] for place in places]
        states = [tuple([state[place] for state in initial]) for place in places]
        outputs, states = _run_layer(step, inputs, has_step, states, directions)
        inputs = [outputs for _ in places]
        last.extend(states)
    ends = [torch.stack([states[kind] for states in last]) for kind in range(len(initial))]
    return (outputs[has_step], *ends)


def lstm(*arguments: Any, **options: Any) -> Any:
    return _recurrent(_lstm_step, torch.ops.aten.lstm.input, arguments, options)


def gru(*arguments: Any, **options: Any) -> Any:
    return _recurrent(_gru_step, torch.ops.aten.gru.input, arguments, options)


def rnn_tanh(*arguments: Any, **options: Any) -> Any:
    return _recurrent(_tanh_step, torch.ops.aten.rnn_tanh.input, arguments, options)


def rnn_relu(*arguments: Any, **options: Any) -> Any:
    return _recurrent(_relu_step, torch.ops.aten.rnn_relu.input, arguments, options)


def _check_state(number: Any, state: Any, input: Any, wanted: Any) -> None:
    if state.dim() != 2:
        raise RuntimeError(f"Expected 2D hidden{number} (batch x hidden_size), but got {state.dim()}D tensor")
    if input.size(0) != state.size(0):
        raise RuntimeError(
            f"Input batch size {input.size(0)} doesn't match hidden{number} batch size {state.size(0)}"
        )
    if state.size(1) != wanted:
        raise RuntimeError(
            f"hidden{number} has inconsistent hidden_size: got {state.size(1)}, expected {wanted}"
        )


def _cell(step: Any, gates: Any, input: Any, states: Any, weights: Any, biases: Any) -> Any:
    """A cell on as many sequences as the input says, of which C asks at once how many there are."""
    if input.size(1) != weights[0].size(1):
        raise RuntimeError(
            f"input has inconsistent input_size: got {input.size(1)} expected {weights[0].size(1)}"
        )
    for number, state in enumerate(states):
        _check_state(number, state, input, weights[1].size(1))
    needed = gates * states[0].size(1)
    for name, weight in zip(("ih", "hh"), weights, strict=True):
        if weight.size(0) != needed:
            raise RuntimeError(
                f"weight_{name} first dim must be {gates} * hidden_size = {needed}, but got {weight.size(0)}"
            )
    of_input, of_state = (
        torch.nn.functional.linear(rows, weight, bias)
        for rows, weight, bias in zip((input, states[0]), weights, biases, strict=True)
    )
    return step(of_input, of_state, states)


def lstm_cell(input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
    if len(hx) != 2:
        raise RuntimeError("lstm_cell expects two hidden states")
    return _cell(_lstm_step, 4, input, hx, (w_ih, w_hh), (b_ih, b_hh))


def _cell_of(step: Any, gates: Any) -> Any:
    def cell(input: Any, hx: Any, w_ih: Any, w_hh: Any, b_ih: Any = None, b_hh: Any = None) -> Any:
        return _cell(step, gates, input, (hx,), (w_ih, w_hh), (b_ih, b_hh))[0]

    return cell


def invert_permutation(permutation: Any) -> Any:
    if permutation is None:
        return None
    return torch.zeros_like(permutation).scatter_(0, permutation, torch.arange(permutation.numel()))


def update_flat_weights(self: Any) -> None:
    """RNNBase notes its weights again when somebody has replaced one since the last call."""
    for weight, name in zip(self._flat_weights, self._flat_weights_names, strict=True):
        if getattr(self, name, None) is not weight:
            raise Refused(
                "the weights of a recurrent layer are replaced by others", "give them to the layer itself"
            )


MODELS: dict[object, Callable[..., Any]] = {
    torch._pack_padded_sequence: pack,
    torch._pad_packed_sequence: pad,
    torch.gru_cell: _cell_of(_gru_step, 3),
    torch.lstm_cell: lstm_cell,
    torch.rnn_tanh_cell: _cell_of(_tanh_step, 1),
    torch.rnn_relu_cell: _cell_of(_relu_step, 1),
    torch.lstm: lstm,
    torch.gru: gru,
    torch.rnn_tanh: rnn_tanh,
    torch.rnn_relu: rnn_relu,
    torch.nn.utils.rnn.invert_permutation: invert_permutation,
    torch.nn.RNNBase._update_flat_weights: update_flat_weights,
}
