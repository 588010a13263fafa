"""python -m digits [FOLDER]: train, draw, save, reload, and leave nothing behind.

The exit status is 1 if a promise does not hold.
"""

from __future__ import annotations

import argparse
import gc
import sys
import time
import weakref
from pathlib import Path

import pairbond
import pairbond_autograd as torch

from digits import data, leaks, pictures, train
from digits.model import Digits, Swish

GOAL = 0.97
# Garbage that several wrappers own together may take a second full collection to be found.
COLLECTIONS = 4


class Checks:
    """Prints what was checked and whether it holds, and counts."""

    def __init__(self) -> None:
        self.passed = 0
        self.failed = 0

    def __call__(self, holds: bool, what: str) -> None:
        self.passed += holds
        self.failed += not holds
        print(f"  {'✓' if holds else '✗'} {what}")


# What belongs to classes and lives as long as they do: members of an enum, a description for each custom function.
OF_CLASSES = {"pairbond_autograd.DType", "pairbond_autograd._FunctionInfo"}


def alive() -> dict[str, int]:
    """What there is of the library's objects, but for those of classes."""
    types = pairbond.stats()["types"]
    ours = {name: it["objects"] for name, it in types.items() if name.startswith("pairbond_autograd.")}
    return {name: count for name, count in ours.items() if count and name not in OF_CLASSES}


def collect() -> None:
    """Finds all cycles."""
    for _ in range(COLLECTIONS):
        gc.collect()


def learn(folder: Path, check: Checks) -> weakref.ref[Digits]:
    """Everything that needs the model; it is gone afterwards."""
    learned, judged = data.read()
    torch.manual_seed(7)
    model = Digits()
    print(model)
    print(f"{sum(p.numel() for p in model.parameters())} parameters, {len(learned)} images to learn from\n")

    began, epochs, accuracies, left = time.perf_counter(), [], [], 0
    for losses in train.train(model, learned):
        epochs.append(losses)
        accuracies.append(train.accuracy(model, judged))
        collect()
        left += sum(count for name, count in alive().items() if "Node" in name or "Accumulate" in name)
        mean, right = sum(losses) / len(losses), 100 * accuracies[-1]
        print(f"  epoch {len(epochs):2}: loss {mean:.3f}, {right:.1f} % of held-out images")
    seconds, steps = time.perf_counter() - began, sum(map(len, epochs))
    print(f"  {steps} steps in {seconds:.1f} s, {1000 * seconds / steps:.1f} ms each\n\nLearning")
    check(
        accuracies[-1] >= GOAL,
        f"{100 * accuracies[-1]:.1f} % of {len(judged)} held-out images are read, at least {GOAL:.0%}",
    )
    check(len(model.norms) == steps, f"the hook on a gradient ran in each of the {steps} steps")
    check(left == 0, "after each epoch no node of its graphs was left, though each was part of cycles")
    x = torch.tensor([-1.5, 0.2, 2.0], dtype=torch.float64, requires_grad=True)
    check(torch.gradcheck(Swish.apply, x), "the derivative of our own function is right")
    y = Swish.apply(x)
    check(y.grad_fn is y.grad_fn and y.grad_fn.result is y, "its context is the node, and keeps what it was given")
    check(y.grad_fn.saved_tensors[0] is x, "what it saved is the very same tensor")

    pictures.losses(folder / "loss.png", epochs, accuracies, model.norms)
    found = train.answers(model, judged)
    pairs = zip(judged.tensors[0].tolist(), judged.tensors[1].tolist(), found.tolist(), strict=True)
    wrong = [(image[0], label, taken) for image, label, taken in pairs if label != taken]
    pictures.mistakes(folder / "mistakes.png", wrong, len(judged))
    reload(model, found, judged, folder / "weights.safetensors", check)
    return weakref.ref(model)


def reload(model: Digits, found: torch.Tensor, judged: data.TensorDataset, path: Path, check: Checks) -> None:
    """The weights as a file."""
    print("\nWeights")
    torch.save_file(model.state_dict(), path)
    again = Digits()
    before = [*again.parameters()]
    again.load_state_dict(torch.load_file(path))
    both = zip(model.parameters(), again.parameters(), strict=True)
    check(all(torch.equal(one, other) for one, other in both), f"{path.stat().st_size} bytes hold them to the last bit")
    check(
        all(a is b for a, b in zip(before, again.parameters(), strict=True)), "they are loaded into the same parameters"
    )
    check(torch.equal(train.answers(again, judged), found), "the loaded network gives the same answers")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m digits", description="Learns to read digits.")
    parser.add_argument("folder", nargs="?", type=Path, default=Path(), help="for pictures and weights")
    folder = parser.parse_args().folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    check = Checks()
    gone = learn(folder, check)
    print("\nWhat is left")
    collect()
    check(gone() is None, "the model is gone, although its hook referred to it")
    check(all(leaks.table()["pairbond_autograd"].values()), "no way in which a graph can come to own itself leaks")
    check(not alive(), f"nothing of the library is alive: {alive() or 'no tensor, no node, no context, no hook'}")
    print(f"\n{check.passed} checks hold, {check.failed} do not; see {folder}/loss.png and mistakes.png")
    return 1 if check.failed else 0


if __name__ == "__main__":
    sys.exit(main())
