# SPDX-License-Identifier: Apache-2.0
"""Captions: an LSTM that looks at parts of the picture, one word a step, until it says the end."""

import torch
import torch.nn.functional as F
from torch import nn

from zoo.parts.calibration import settle, threshold
from zoo.parts.samples import images

START, END = 1, 2


class Attention(nn.Module):
    def __init__(self, channels, hidden, width):
        super().__init__()
        self.of_picture = nn.Linear(channels, width)
        self.of_state = nn.Linear(hidden, width)
        self.score = nn.Linear(width, 1)

    def forward(self, places, h):
        scores = self.score(torch.relu(self.of_picture(places) + self.of_state(h).unsqueeze(1)))
        weights = F.softmax(scores.squeeze(2), dim=1)
        return (places * weights.unsqueeze(2)).sum(dim=1), weights


class Decoder(nn.Module):
    def __init__(self, channels, vocabulary, embedding, hidden):
        super().__init__()
        self.embedding = nn.Embedding(vocabulary, embedding)
        self.attention = Attention(channels, hidden, hidden)
        self.first_h = nn.Linear(channels, hidden)
        self.first_c = nn.Linear(channels, hidden)
        self.how_much = nn.Linear(hidden, channels)
        self.cell = nn.LSTMCell(embedding + channels, hidden)
        self.words = nn.Linear(hidden, vocabulary)

    def begin(self, places):
        mean = places.mean(dim=1)
        return torch.tanh(self.first_h(mean)), torch.tanh(self.first_c(mean))

    def step(self, word, places, state):
        seen, weights = self.attention(places, state[0])
        seen = torch.sigmoid(self.how_much(state[0])) * seen
        state = self.cell(torch.cat([self.embedding(word), seen], dim=1), state)
        return self.words(state[0]), weights, state


class Captioner(nn.Module):
    def __init__(self, encoder, channels, vocabulary, embedding=256, hidden=512, max_steps=10):
        super().__init__()
        self.encoder = encoder
        self.decoder = Decoder(channels, vocabulary, embedding, hidden)
        self.max_steps = max_steps

    def places(self, picture):
        return self.encoder(picture).flatten(2).permute(0, 2, 1)

    def forward(self, picture):
        places = self.places(picture)
        state = self.decoder.begin(places)
        word = torch.full((1,), START)
        caption, looked_at, log_probability = [], [], 0.0
        for _ in range(self.max_steps):
            logits, weights, state = self.decoder.step(word, places, state)
            best = F.log_softmax(logits, dim=1).max(dim=1)
            word = best.indices
            log_probability += best.values.item()
            looked_at.append(weights)
            if word.item() == END:
                break
            caption.append(word.item())
        return caption, torch.cat(looked_at), log_probability


def calibrated(model, size, few, seed):
    """Gives the words, made by this seed, strong effects, and moves the end's score: captions of every length
    are spoken."""
    settle(model, lambda: model.encoder(torch.cat(images(1, few, size // 2))))
    decoder = model.decoder
    generator = torch.Generator().manual_seed(seed)
    for weight, strength in [
        (decoder.embedding.weight, 4 * decoder.embedding.weight.shape[1] ** 0.5),
        (decoder.cell.weight_ih, 2.0),
        (decoder.cell.weight_hh, 2.0),
        (decoder.words.weight, 4.0),
    ]:
        nn.init.normal_(weight, std=strength / weight.shape[1] ** 0.5, generator=generator)
    places = torch.cat([model.places(picture) for picture in images(2, 4 * few, size)])
    state, word, margins = decoder.begin(places), torch.full((len(places),), START), []
    for _ in range(10):
        logits, _, state = decoder.step(word, places, state)
        end = logits[:, END].clone()
        logits[:, END] = -torch.inf
        best = logits.max(dim=1)
        margins.append(end - best.values)
        word = best.indices
    decoder.words.bias[END] -= threshold(torch.stack(margins), 0.14)
    return model
