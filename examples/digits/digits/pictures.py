"""The curve of losses, and what was read wrongly."""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl

mpl.use("Agg")
from matplotlib import pyplot as plt

COLUMNS = 6


def losses(path: Path, epochs: list[list[float]], accuracies: list[float], norms: list[float]) -> None:
    """Losses and gradients by step, accuracy by epoch."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4), layout="constrained")
    steps = [loss for epoch in epochs for loss in epoch]
    ends = [sum(len(epoch) for epoch in epochs[: number + 1]) for number in range(len(epochs))]
    left.plot(steps, linewidth=0.8, label="loss")
    left.plot(norms, linewidth=0.5, alpha=0.6, label="gradient at the first convolution")
    left.set(xlabel="step", yscale="log", title="Loss")
    left.legend()
    right.plot(ends, [100 * it for it in accuracies], marker="o", markersize=3)
    right.set(xlabel="step", ylabel="%", title=f"Held-out images read: {100 * accuracies[-1]:.1f} %")
    right.grid(alpha=0.3)
    figure.savefig(path, dpi=120)
    plt.close(figure)


def mistakes(path: Path, wrong: list[tuple[list[list[float]], int, int]], total: int) -> None:
    """Images with what they are and what they were taken for."""
    rows = max(1, -(-len(wrong) // COLUMNS))
    figure, axes = plt.subplots(
        rows, COLUMNS, figsize=(1.5 * COLUMNS, 1.8 * rows + 0.6), squeeze=False, layout="constrained"
    )
    for axis in axes.flat:
        axis.set_axis_off()
    for axis, (image, is_, taken) in zip(axes.flat, wrong, strict=False):
        axis.imshow(image, cmap="gray_r")
        axis.set_title(f"{is_}, read as {taken}", fontsize=9)
    figure.suptitle(f"{len(wrong)} of {total} held-out digits were misread")
    figure.savefig(path, dpi=120)
    plt.close(figure)
