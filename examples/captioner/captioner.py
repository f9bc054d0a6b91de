# SPDX-License-Identifier: Apache-2.0
"""Trains a small captioner to name coloured squares, and compiles it for captioner.cpp."""

import itertools
from pathlib import Path

import dycl
import torch
from torch import nn

WORDS = ["<end>", "nothing", "a", "red", "green", "blue", "square", "and"]
END = 0
COLOURS = {"blue": (0, 0, 255), "empty": (0, 0, 0), "green": (0, 255, 0), "red": (255, 0, 0)}


class Captioner(nn.Module):
    """Gives one word after another, until it gives the end token."""

    def __init__(self) -> None:
        super().__init__()
        self.look = nn.Sequential(nn.Conv2d(3, 8, 4, stride=4), nn.ReLU(), nn.Flatten(), nn.Linear(64, 48))
        self.embedding = nn.Embedding(len(WORDS), 16)
        self.cell = nn.GRUCell(16, 48)
        self.words = nn.Linear(48, len(WORDS))

    def forward(self, picture: torch.Tensor) -> torch.Tensor:
        state = self.look(picture)
        word = torch.full((1,), END)
        caption = []
        while len(caption) < 20:
            state = self.cell(self.embedding(word), state)
            word = self.words(state).argmax(dim=1)
            if word.item() == END:
                break
            caption.append(word)
        return torch.cat(caption)


def scenes() -> dict[str, tuple[torch.Tensor, list[int]]]:
    """Returns the pixels (8 high, 16 wide, 3 channels) and the caption of every pair of squares, by name."""
    found = {}
    for pair in itertools.product(COLOURS, repeat=2):
        pixels = torch.zeros(8, 16, 3, dtype=torch.uint8)
        for place, colour in enumerate(pair):
            pixels[1:7, 8 * place + 1 : 8 * place + 7] = torch.tensor(COLOURS[colour], dtype=torch.uint8)
        text = " and ".join(f"a {colour} square" for colour in pair if colour != "empty") or "nothing"
        found["_".join(pair)] = pixels, [WORDS.index(word) for word in text.split()]
    return found


def as_input(pixels: torch.Tensor) -> torch.Tensor:
    """Converts pixels as captioner.cpp does: channels first, values from 0 to 1."""
    return pixels.permute(2, 0, 1).unsqueeze(0) / 255


def train(model: Captioner, pictures: torch.Tensor, captions: list[list[int]]) -> None:
    longest = max(map(len, captions)) + 1
    targets = torch.tensor([caption + [END] * (longest - len(caption)) for caption in captions])
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    for _ in range(150):
        state, word, loss = model.look(pictures), torch.full((len(captions),), END), torch.tensor(0.0)
        for target in targets.T:
            state = model.cell(model.embedding(word), state)
            loss = loss + nn.functional.cross_entropy(model.words(state), target)
            word = target
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


def main() -> None:
    torch.manual_seed(0)
    torch.set_num_threads(1)  # the tensors are tiny: more threads would only wait for each other
    model = Captioner()
    named = scenes()
    pictures = [as_input(pixels) for pixels, _ in named.values()]
    train(model, torch.cat(pictures), [caption for _, caption in named.values()])
    model.eval()

    program = dycl.compile(model, pictures[0])
    dycl.verify(program, model, pictures).check()
    program.save("captioner.dycl")
    Path("words.txt").write_text("\n".join(WORDS))
    for name, (pixels, _) in named.items():
        Path(f"{name}.ppm").write_bytes(b"P6 16 8 255\n" + bytes(pixels.flatten().tolist()))
        caption = model(as_input(pixels))
        print(f"{name}.ppm: {' '.join(WORDS[word] for word in caption)}")


if __name__ == "__main__":
    main()
