# SPDX-License-Identifier: Apache-2.0
"""Gives random weights what training would give: statistics, and decisions that are really mixed."""

import functools

import torch
from torch import nn


def seeded(seed):
    """Builds with seeded weights, in eval mode, and leaves the caller's random state alone."""

    def decorate(build):
        @functools.wraps(build)
        def seeded_build(*args, **kwargs):
            with torch.random.fork_rng(devices=[]), torch.no_grad():
                torch.manual_seed(seed)
                return build(*args, **kwargs).eval()

        return seeded_build

    return decorate


def settle(model, run, share=0.5):
    """Batch norms learn the statistics of what run() computes, but only this share of the means: with all of
    them, random layers make rounding errors grow, which trained ones do not."""

    def learn(norm, args):
        over = [0, *range(2, args[0].dim())]
        norm.running_mean.copy_(share * args[0].mean(over))
        centred = args[0] - norm.running_mean.view(-1, *[1] * (args[0].dim() - 2))
        variance = centred.square().mean(over)
        norm.running_var.copy_(variance.clamp(min=float(variance.mean()) / 4))  # channels may be all but dead

    norms = [module for module in model.modules() if isinstance(module, nn.modules.batchnorm._BatchNorm)]
    hooks = [norm.register_forward_pre_hook(learn) for norm in norms]
    model.eval()
    run()
    for hook in hooks:
        hook.remove()


def threshold(values, share):
    """Between two of the values, so that about this share of them lies above."""
    ordered = torch.as_tensor(values).double().flatten().sort(descending=True).values
    cut = min(max(round(share * len(ordered)), 1), len(ordered) - 1)
    return float(ordered[cut - 1] + ordered[cut]) / 2


def centre(linear, scores, width=1.0, share=0.5):
    """Moves and scales a linear layer: each of its outputs, now `scores`, is then above 0 for this share."""
    middle = torch.tensor([threshold(column, share) for column in scores.T], dtype=scores.dtype)
    spread = scores.std(dim=0) / width
    linear.weight /= spread.view(-1, *[1] * (linear.weight.dim() - 1))
    linear.bias.copy_((linear.bias - middle) / spread)


def sharpen(linear, logits, width=2.0):
    """Scales a classifier, so that some of its answers are confident."""
    factor = width / logits.std()
    linear.weight *= factor
    linear.bias *= factor
