"""How the network learns."""

from __future__ import annotations

from collections.abc import Iterator

import pairbond_autograd as torch
from pairbond_autograd import Tensor, nn, optim
from pairbond_autograd.utils.data import DataLoader, TensorDataset

from digits.model import Digits

EPOCHS = 14
BATCH = 64
RATE = 4e-3


def train(model: Digits, data: TensorDataset) -> Iterator[list[float]]:
    """Goes through the data again and again; gives the losses of each time."""
    loader = DataLoader(data, BATCH, shuffle=True, drop_last=True)
    optimizer = optim.AdamW(model.parameters(), lr=RATE)
    loss_of = nn.CrossEntropyLoss(label_smoothing=0.05)
    for epoch in range(EPOCHS):
        optimizer.param_groups[0]["lr"] = RATE * (1 - epoch / EPOCHS)
        loader.progress = f"epoch {epoch + 1:2}/{EPOCHS}"
        model.train()
        yield [step(model, optimizer, loss_of, images, labels) for images, labels in loader]


def step(model: Digits, optimizer: optim.Optimizer, loss_of: nn.Module, images: Tensor, labels: Tensor) -> float:
    """Learns from a batch; gives its loss."""
    optimizer.zero_grad()
    loss = loss_of(model(images), labels)
    loss.backward()
    optimizer.step()
    return float(loss.item())


def answers(model: Digits, data: TensorDataset) -> Tensor:
    """Which digits the network takes the images for."""
    model.eval()
    with torch.no_grad():
        return model(data.tensors[0]).argmax(1)


def accuracy(model: Digits, data: TensorDataset) -> float:
    """How many of the answers are right."""
    right = answers(model, data) == data.tensors[1]
    return right.sum().item() / len(data)
