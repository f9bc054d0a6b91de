# SPDX-License-Identifier: Apache-2.0
"""Speech: recognizers and their decoders, detectors of voice, codecs."""

import functools
from typing import Any

import torch
from dycl import Call
from python.torch.packages.model import calls, integers, louder, mask_of, model, normal, redrawn, uniform
from torch import nn

LENGTHS = [6, 3, 5, 1, 4, 2]


@model("RNNTBeamSearch", "torchaudio", "how many tokens each frame says; which hypotheses meet")
def rnnt_beam() -> Any:
    from torchaudio.models import RNNTBeamSearch, emformer_rnnt_model

    encoder = {
        "input_dim": 4,
        "encoding_dim": 6,
        "num_symbols": 5,
        "segment_length": 4,
        "right_context_length": 1,
    }
    layers = {
        "transformer_num_layers": 1,
        "transformer_num_heads": 2,
        "transformer_ffn_dim": 6,
        "transformer_dropout": 0.0,
    }
    context = {
        "transformer_left_context_length": 2,
        "transformer_activation": "relu",
        "transformer_max_memory_size": 0,
    }
    weights = {"transformer_weight_init_scale_strategy": "depthwise", "transformer_tanh_on_mem": False}
    predictor = {
        "symbol_embedding_dim": 4,
        "num_lstm_layers": 1,
        "lstm_layer_norm": False,
        "lstm_dropout": 0.0,
    }
    reduction = {"time_reduction_input_dim": 4, "time_reduction_stride": 1, "lstm_layer_norm_epsilon": 1e-3}
    network = emformer_rnnt_model(**encoder, **layers, **context, **weights, **predictor, **reduction)
    network = redrawn(network, 0, 0.7)
    search = RNNTBeamSearch(network, blank=4, step_max_tokens=2).eval()
    return search, calls(lambda s: (normal(s, 4, 4), torch.tensor([4]), 2))


@model("functional.vad", "torchaudio", "how much silence is cut off")
def voice_activity() -> Any:
    from torchaudio.functional import vad

    starts = [100, 400, 800, 1200, 1600, 600]

    def one(seed: int) -> Any:
        sound = uniform(seed, 1, 1600) * 0.001
        sound[:, starts[seed] :] += normal(seed, 1600)[starts[seed] :]
        return (sound,)

    options = {
        "sample_rate": 1000, "trigger_level": 3.0, "hp_filter_freq": 50.0, "lp_filter_freq": 400.0,
        "hp_lifter_freq": 100.0, "lp_lifter_freq": 400.0, "measure_duration": 0.05, "search_time": 0.3,
    }  # fmt: skip
    return functools.partial(vad, **options), calls(one)


@model("functional.merge_tokens", "torchaudio", "how many tokens are said, and for how long")
def merge_tokens() -> Any:
    from torchaudio.functional import merge_tokens

    return merge_tokens, calls(lambda s: (integers(s, 3, 8), uniform(s, 8)))


@model("Wav2Vec2ForCTC", "transformers", "the frames that are masked", draws=True)
def wav2vec2() -> Any:
    from transformers import Wav2Vec2Config, Wav2Vec2ForCTC

    config = Wav2Vec2Config(
        vocab_size=6,
        hidden_size=8,
        num_hidden_layers=1,
        num_attention_heads=2,
        intermediate_size=12,
        conv_dim=(4, 4),
        conv_stride=(5, 2),
        conv_kernel=(10, 3),
        num_conv_pos_embeddings=4,
        num_conv_pos_embedding_groups=2,
    )
    network = Wav2Vec2ForCTC(config).eval()
    return network, calls(
        lambda s: Call((normal(s, 2, 100),), {"attention_mask": mask_of([100, 100 - 12 * s], 100).long()})
    )


@model(
    "fastspeech2_conformer.length_regulator",
    "transformers",
    "the length of what is spoken",
)
def length_regulator() -> Any:
    from transformers.models.fastspeech2_conformer.modeling_fastspeech2_conformer import length_regulator

    return length_regulator, calls(lambda s: (normal(s, 1, 4, 3), integers(s, 4, 1, 4)))


@model("FastSpeech2ConformerModel", "transformers", "the length of what is spoken", state=True)
def fastspeech() -> Any:
    from transformers import FastSpeech2ConformerConfig, FastSpeech2ConformerModel

    config = FastSpeech2ConformerConfig(
        hidden_size=8,
        vocab_size=12,
        num_mel_bins=4,
        encoder_layers=1,
        decoder_layers=1,
        encoder_num_attention_heads=2,
        decoder_num_attention_heads=2,
        encoder_linear_units=8,
        decoder_linear_units=8,
        encoder_kernel_size=3,
        decoder_kernel_size=3,
        speech_decoder_postnet_units=8,
        speech_decoder_postnet_layers=2,
        duration_predictor_channels=8,
        pitch_predictor_channels=8,
        energy_predictor_channels=8,
        pitch_predictor_layers=1,
        positionwise_conv_kernel_size=3,
    )
    network = louder(FastSpeech2ConformerModel(config), 1.2)  # more, and eager itself is off by 2e-5 of f64
    return network, calls(lambda s: Call((), {"input_ids": integers(s, 12, 1, 4)}))


class Loudness(nn.Module):
    """A detector of speech as silero's functions want one; the package ships its own in TorchScript only."""

    def __init__(self) -> None:
        super().__init__()
        self.reset_states()

    def reset_states(self) -> None:
        self.last = torch.zeros(1)

    def forward(self, chunk: torch.Tensor, rate: int) -> torch.Tensor:
        self.last = 0.3 * self.last + 0.7 * torch.sigmoid(8 * chunk.abs().mean(-1, keepdim=True) - 3)
        return self.last


def _speech(seed: int, chunks: int) -> torch.Tensor:
    loud = integers(seed + 3, 2, chunks).float().repeat_interleave(256)
    return normal(seed, chunks * 256) * (0.05 + loud * 0.9)


@model(
    "get_speech_timestamps", "silero-vad", "where speech begins and ends; a machine with states", quick=True
)
def speech_timestamps() -> Any:
    from silero_vad import get_speech_timestamps

    options = {"sampling_rate": 8000, "min_speech_duration_ms": 20, "min_silence_duration_ms": 30}
    run = functools.partial(get_speech_timestamps, model=Loudness().eval(), **options)
    return run, calls(lambda s: (_speech(s, 6),))


@model("VADIterator", "silero-vad", "where speech begins and ends, chunk by chunk", state=True)
def vad_iterator() -> Any:
    from silero_vad import VADIterator

    run = VADIterator(Loudness().eval(), sampling_rate=8000, min_silence_duration_ms=20)
    return run.__call__, calls(lambda s: (_speech(5, 6)[s * 256 : s * 256 + 256],))


@model("ctc_greedy_decode", "speechbrain", "how many tokens are said")
def ctc_greedy() -> Any:
    from speechbrain.decoders.ctc import ctc_greedy_decode

    lengths = [1.0, 0.5, 1.0, 0.25, 0.75, 1.0]
    return functools.partial(ctc_greedy_decode, blank_id=0), calls(
        lambda s: (uniform(s, 2, 8, 4), torch.tensor([1.0, lengths[s]]))
    )


def _vad() -> Any:
    from speechbrain.inference.VAD import VAD

    parts = {name: nn.Identity() for name in ("compute_features", "mean_var_norm", "model")}
    return VAD(modules=parts, hparams={"sample_rate": 100, "time_resolution": 0.1, "device": "cpu"})


@model("VAD.get_boundaries", "speechbrain", "how many stretches of speech there are")
def vad_boundaries() -> Any:
    return _vad().get_boundaries, calls(lambda s: (integers(s, 2, 1, 8, 1).float(),))


def _recurrent(searcher: Any, **options: Any) -> Any:
    from speechbrain.nnet.linear import Linear
    from speechbrain.nnet.RNN import AttentionalRNNDecoder

    decoder = AttentionalRNNDecoder("gru", "content", 4, 4, 1, enc_dim=5, input_size=4)
    parts = {
        "embedding": nn.Embedding(6, 4),
        "decoder": decoder,
        "linear": Linear(n_neurons=6, input_size=4),
    }
    ratios = {"min_decode_ratio": 0.0, "max_decode_ratio": 1.0}
    return redrawn(searcher(**parts, bos_index=0, eos_index=1, **ratios, **options), 1, 1.0)


@model("S2SRNNGreedySearcher", "speechbrain", "when the words end")
def greedy_searcher() -> Any:
    from speechbrain.decoders import S2SRNNGreedySearcher

    return _recurrent(S2SRNNGreedySearcher), calls(lambda s: (normal(s, 2, 5, 5) * 3, torch.ones(2)))


@model("S2SRNNBeamSearcher", "speechbrain", "which beams live, and when the words end")
def beam_searcher() -> Any:
    from speechbrain.decoders import S2SRNNBeamSearcher

    search = _recurrent(S2SRNNBeamSearcher, beam_size=2, using_eos_threshold=False)
    return search, calls(lambda s: (normal(s, 1, 5, 5) * 3, torch.ones(1)))


@model("TransducerBeamSearcher, greedy", "speechbrain", "how many tokens each frame says")
def transducer() -> Any:
    from speechbrain.decoders import TransducerBeamSearcher
    from speechbrain.nnet.embedding import Embedding
    from speechbrain.nnet.linear import Linear
    from speechbrain.nnet.RNN import GRU
    from speechbrain.nnet.transducer.transducer_joint import Transducer_joint

    network = Embedding(num_embeddings=5, consider_as_one_hot=True, blank_id=0)
    recurrent = GRU(input_shape=[None, None, 4], hidden_size=4)
    output = Linear(input_shape=[None, None, 4], n_neurons=5, bias=False)
    joint = Transducer_joint(nn.Linear(4, 4), joint="sum")
    search = TransducerBeamSearcher([network, recurrent], joint, [output], blank_id=0, beam_size=1, nbest=1)
    for seed, part in enumerate((recurrent, output)):
        redrawn(part, seed, 0.8)
    return search.eval(), calls(lambda s: (normal(s, 1, 3, 4),))


@model("EncodecModel", "encodec", "which entries of the codebooks are taken", grows=False)
def encodec() -> Any:
    from encodec import modules
    from encodec.model import EncodecModel
    from encodec.quantization import ResidualVectorQuantizer

    sizes = {
        "channels": 1,
        "dimension": 8,
        "n_filters": 2,
        "n_residual_layers": 1,
        "ratios": [4, 2],
        "lstm": 1,
    }
    quantizer = ResidualVectorQuantizer(dimension=8, n_q=3, bins=16)
    network = EncodecModel(
        modules.SEANetEncoder(**sizes),
        modules.SEANetDecoder(**sizes),
        quantizer,
        [6.0],
        1000,
        1,
        normalize=True,
    )
    for layer in quantizer.vq.layers:
        layer._codebook.inited.fill_(True)
        layer._codebook.embed.normal_()
    return network.eval(), calls(lambda s: (normal(s, 1, 1, 64),))
