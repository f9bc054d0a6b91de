# SPDX-License-Identifier: Apache-2.0
"""Embeddings and graphs: what is pooled, found, matched and counted."""

import functools
from typing import Any

from python.torch.packages.model import calls, integers, mask_of, model, normal, uniform

LENGTHS = [6, 3, 5, 1, 4, 2]


def _pooling(mode: str) -> Any:
    from sentence_transformers.sentence_transformer.modules import Pooling

    return Pooling(4, pooling_mode=mode).eval(), calls(
        lambda s: (
            {"token_embeddings": normal(s, 2, 6, 4), "attention_mask": mask_of([6, LENGTHS[s]], 6).long()},
        )
    )


@model("Pooling, mean", "sentence-transformers", "the words that are pooled", grows=False)
def pooling() -> Any:
    return _pooling("mean")


@model(
    "community_detection", "sentence-transformers", "how many communities there are, and who belongs to them"
)
def communities() -> Any:
    from sentence_transformers.util import community_detection

    run = functools.partial(community_detection, threshold=0.7, min_community_size=2)
    return run, calls(lambda s: (normal(s, 6, 3),))


@model("TripletMarginMiner", "pytorch-metric-learning", "how many triplets are hard")
def miner() -> Any:
    from pytorch_metric_learning.miners import TripletMarginMiner

    return TripletMarginMiner(margin=0.2, type_of_triplets="semihard"), calls(
        lambda s: (normal(s, 6, 4), integers(s, 3, 6))
    )


@model("binary_precision_recall_curve", "torchmetrics", "how many thresholds there are")
def recall_curve() -> Any:
    from torchmetrics.functional.classification import binary_precision_recall_curve

    return binary_precision_recall_curve, calls(
        lambda s: ((uniform(s, 8) * (2 + s)).round() / (2 + s), integers(s, 2, 8))
    )


@model("GCNConv", "torch-geometric", "which nodes are joined", grows=False)
def graph_convolution() -> Any:
    from torch_geometric.nn import GCNConv

    return GCNConv(4, 3).eval(), calls(lambda s: (normal(s, 5, 4), integers(s, 5, 2, 7)))


@model("TopKPooling", "torch-geometric", "which nodes and edges are kept, and how many")
def top_k_pooling() -> Any:
    from torch_geometric.nn import TopKPooling

    return TopKPooling(4, ratio=0.5).eval(), calls(
        lambda s: (normal(s, 6, 4), integers(s, 6, 2, 8), None, integers(s, 1 + s % 3, 6).sort().values)
    )


@model("to_dense_batch", "torch-geometric", "how many graphs there are, and the largest one")
def dense_batch() -> Any:
    from torch_geometric.utils import to_dense_batch

    return to_dense_batch, calls(lambda s: (normal(s, 6, 4), integers(s, 1 + s % 4, 6).sort().values))
