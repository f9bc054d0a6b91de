# SPDX-License-Identifier: Apache-2.0
"""Equations, fixed points, transport, best paths: loops that end when the answer is exact enough."""

import functools
from typing import Any

import torch
from dycl import Call
from python.torch.packages.model import calls, mask_of, model, normal, uniform
from torch import nn


class Swing(nn.Module):
    """The right-hand side of an equation: x' = tanh(x W) - x / 2, faster as time goes by."""

    def __init__(self, scale: float = 2.0) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(3, 3) * scale)

    def forward(self, time: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
        return torch.tanh(x @ self.weight) * (1 + time) - x / 2


class Pull(nn.Module):
    """A contraction, which has one fixed point."""

    def __init__(self) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.randn(3, 3) * 0.3)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.tanh(x @ self.weight + 0.5)


def _starts(seed: int) -> Any:
    return (normal(seed, 2, 3) * [0.01, 0.3, 1, 3, 10, 30][seed],)


@model(
    "odeint, dopri5",
    "torchdiffeq",
    "how many steps it takes, and which it rejects",
    rounding_decides=True,
)
def dopri5() -> Any:
    from torchdiffeq import odeint

    run = functools.partial(odeint, Swing(), t=torch.tensor([0.0, 0.5, 1.0]), rtol=1e-3, atol=1e-4)
    return run, calls(lambda s: Call((), {"y0": _starts(s)[0]}))


@model("odeint_event", "torchdiffeq", "when the event happens; a bisection finds it")
def event() -> Any:
    from torchdiffeq import odeint_event

    def falls(time: torch.Tensor, state: Any) -> Any:
        return state[1], torch.full_like(state[1], -9.81)

    def ground(time: torch.Tensor, state: Any) -> torch.Tensor:
        return state[0]

    run = functools.partial(odeint_event, falls, t0=torch.tensor(0.0), event_fn=ground, rtol=1e-4, atol=1e-6)
    return run, calls(lambda s: Call((), {"y0": (torch.tensor([1.0 + 3 * s]), normal(s, 1) * 3)}))


@model("solve_ivp", "torchode", "how many steps each row takes, and which are rejected")
def torchode_solve() -> Any:
    import torchode

    control = torchode.IntegralController(atol=1e-4, rtol=1e-3)
    times = torch.tensor([[0.0, 0.5, 1.0]]).expand(2, 3).contiguous()
    field = Swing()

    def swing(time: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
        return field(time[:, None], y)

    def solve(start: torch.Tensor) -> torch.Tensor:
        return torchode.solve_ivp(swing, start, times, method="dopri5", controller=control).ys

    return solve, calls(_starts)


@model("utils.odeint", "zuko", "how many steps it takes, and which it rejects", quick=True)
def zuko_odeint() -> Any:
    from zuko.utils import odeint

    run = functools.partial(odeint, Swing(), t0=0.0, t1=1.0, atol=1e-4, rtol=1e-3)
    return run, calls(lambda s: Call((), {"x": _starts(s)[0]}))


@model("anderson_solver", "torchdeq", "how often it runs until nothing moves")
def anderson() -> Any:
    from torchdeq.solver import get_solver

    run = functools.partial(get_solver("anderson"), Pull(), max_iter=10, tol=1e-2, m=3)
    return run, calls(_starts)


@model("DEQSliced", "torchdeq", "how often it runs until nothing moves", quick=True)
def deq() -> Any:
    from torchdeq import get_deq

    solver = get_deq(core="sliced", f_solver="fixed_point_iter", f_max_iter=12, f_tol=1e-2).eval()
    return functools.partial(solver, Pull()), calls(_starts)


@model("equilibrium", "xitorch", "how often it runs until nothing moves")
def equilibrium() -> Any:
    from xitorch.optimize import equilibrium

    weight = torch.randn(3, 3) * 0.3

    def pull(x: torch.Tensor, bias: torch.Tensor) -> torch.Tensor:
        return torch.tanh(x @ weight + bias)

    run = functools.partial(equilibrium, pull, method="broyden1", f_tol=1e-2, x_tol=1e-2)
    return run, calls(lambda s: (torch.zeros(1, 3), (normal(s, 3) * (0.1 + s),)))


@model("linear_cg", "linear-operator", "when the residual is small")
def linear_cg() -> Any:
    from linear_operator.utils import linear_cg

    root = torch.randn(16, 16) * 0.3
    matrix = root @ root.T + torch.diag(torch.linspace(1.0, 2.0, 16))
    run = functools.partial(linear_cg, matrix.matmul, tolerance=1e-5, max_iter=30)
    scales = [1, 0, 1, 1e-12, 1, 1]
    return run, calls(lambda s: (normal(s, 16, 1) * scales[s],))


@model("psd_safe_cholesky", "linear-operator", "how often the diagonal is raised", quick=True)
def safe_cholesky() -> Any:
    from linear_operator.utils.cholesky import psd_safe_cholesky

    lowest = [1.0, -0.05, -0.5, 0.5, -5.0, -0.02]

    def one(seed: int) -> Any:
        basis = torch.linalg.qr(normal(seed, 3, 3))[0]
        return (basis @ torch.diag(torch.tensor([2.0, 1.0, lowest[seed]])) @ basis.T,)

    return functools.partial(psd_safe_cholesky, jitter=0.1, max_tries=4), calls(one)


@model("sinkhorn", "POT", "how many rounds until the marginals fit")
def sinkhorn() -> Any:
    import ot

    run = functools.partial(ot.sinkhorn, reg=0.5, stopThr=1e-3, numItermax=60, warn=False)

    def one(seed: int) -> Any:
        weights = uniform(seed, 2, 4) ** (1 + seed)
        return (*(weights / weights.sum(1, keepdim=True)), uniform(seed + 9, 4, 4) * (1 + 0.5 * seed))

    return run, calls(one)


@model("SamplesLoss, sinkhorn", "geomloss", "how many scales it goes through")
def samples_loss() -> Any:
    from geomloss import SamplesLoss

    loss = SamplesLoss("sinkhorn", p=2, blur=0.3, scaling=0.6, backend="tensorized")
    return loss, calls(lambda s: (normal(s, 4, 2) * (0.5 + s), normal(s + 9, 5, 2)))


@model("sparsemax", "entmax", "how many numbers are left above zero", grows=False, quick=True)
def sparsemax() -> Any:
    from entmax import sparsemax

    return functools.partial(sparsemax, dim=-1), calls(lambda s: (normal(s, 3, 6) * (0.2 + s),))


@model("CRF.decode", "pytorch-crf", "how far each best path is traced back", quick=True)
def crf() -> Any:
    from torchcrf import CRF

    lengths = [(1, 6), (6, 6), (3, 2), (1, 1), (5, 4), (2, 6)]
    return CRF(5, batch_first=True).eval().decode, calls(
        lambda s: (normal(s, 2, 6, 5) * 3, mask_of(list(lengths[s]), 6))
    )
