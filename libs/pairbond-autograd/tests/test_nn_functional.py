"""Functions of `nn.functional` and the modules around them, beside torch's."""

import pytest

pytest.importorskip("torch", reason="torch is not installed: nothing to compare with")

from nn_comparison import expressions, same, same_error


@expressions("""
    F.relu(x)
    F.gelu(x, approximate="tanh")
    F.softmax(x, dim=-1)
    F.log_softmax(x, 1)
    F.softmax(x, dim=1, dtype=torch.float32)
    F.relu((x * 2).clone(), inplace=True)
    nn.Sigmoid()(x)
    nn.Softmax(0)(x)
    nn.GELU("tanh")(x)
""")
def test_activations(expression):
    same(expression, 1e-7)  # some of torch's constants are rounded to single precision


@expressions("""
    F.l1_loss(x, y)
    F.mse_loss(x, y, reduction="sum")
    nn.L1Loss(reduction="none")(x, y)
    F.binary_cross_entropy(x.sigmoid(), y.sigmoid(), v.detach())
    nn.BCELoss(reduction="sum")(x.sigmoid(), y.sigmoid())
    F.binary_cross_entropy_with_logits(x, y.sigmoid(), v.detach(), pos_weight=w.detach().exp())
    nn.BCEWithLogitsLoss()(x, y.sigmoid())
    nn.BCEWithLogitsLoss(pos_weight=w.detach().exp())(x, y.sigmoid())
    nn.BCELoss(v.detach())(x.sigmoid(), y.sigmoid())
    F.nll_loss(x, classes, v.detach().exp())
    nn.NLLLoss(reduction="sum", ignore_index=5)(x, classes)
    [F.cross_entropy(x, classes, v.detach().exp(), reduction=r, label_smoothing=0.2) for r in REDUCTIONS]
    [F.cross_entropy(x, y.softmax(1), v.detach().exp(), reduction=r, label_smoothing=0.2) for r in REDUCTIONS]
    nn.CrossEntropyLoss(ignore_index=0)(x, classes)
    nn.CrossEntropyLoss(v.detach().exp(), label_smoothing=0.1)(x, classes)
    F.cross_entropy(image, classes[:2, None, None].expand(2, 7, 6) % 4)
    F.cross_entropy(v, classes[0])
""")
def test_losses(expression):
    same(expression)


def test_targets_of_other_sizes_are_warned_of():
    import pairbond_autograd as ours

    for loss in (ours.nn.functional.mse_loss, ours.nn.functional.l1_loss):
        with pytest.warns(UserWarning, match=r"Using a target size \(torch.Size\(\[3, 1\]\)\) that is different to"):
            loss(ours.ones(3), ours.ones(3, 1))


@expressions("""
    F.conv2d(image, image[:, :, :3, :2], padding="same")
    F.conv2d(image, image[:, :, :2, :4], v[:2], padding="valid")
    F.conv2d(image, image[:, :, :3, :2], padding="same", dilation=2)
    F.conv1d(line, line[:, :, :3], v[:2], 2, 1)
    F.conv1d(line, line[:, :, :4], padding="same")
    F.conv1d(line, small[:2, :2, :3], groups=2)
    F.conv1d(line[0], line[:, :, :3])
    fixed(nn.Conv2d(4, 6, 3, padding="same", groups=2))(image)
    fixed(nn.Conv1d(4, 2, 3, stride=2, padding=2, dilation=2))(line)
    [fixed(nn.Conv2d(4, 2, (3, 2), padding=p))(image) for p in (1, "same", "valid")]
""")
def test_convolutions(expression):
    same(expression)


@expressions("""
    nn.MaxPool2d(2, return_indices=True)(image)
    nn.MaxPool2d((3, 2), 2, 1, ceil_mode=True)(image)
    nn.AvgPool2d((2, 3), 1)(image)
    F.avg_pool2d(image, 3, 2, 1, True, False)
""")
def test_windows(expression):
    same(expression)


@expressions("""
    F.layer_norm(x, (6,), v, w)
    nn.LayerNorm(6, bias=False).double()(x)
    nn.LayerNorm((4, 6), elementwise_affine=False)(x)
    fixed(nn.LayerNorm(6))(x)
    fixed(nn.BatchNorm1d(6))(x)
    fixed(nn.BatchNorm1d(4))(line)
    fixed(nn.BatchNorm2d(4))(image)
    nn.BatchNorm2d(4, affine=False).double().eval()(image)
    twice(fixed(nn.BatchNorm2d(4)))
    twice(fixed(nn.BatchNorm2d(4, momentum=None)))
    twice(fixed(nn.BatchNorm2d(4, track_running_stats=False)))
    F.batch_norm(x, v.detach(), w.detach().exp(), v, w)
    fixed(nn.Linear(6, 2))(x)
    fixed(nn.Linear(6, 2, bias=False))(line.reshape(4, 3, 6))
    nn.Identity(3, some=4)(x)
    nn.Flatten()(image)
    nn.Flatten(0, 1)(image)
""")
def test_norms_and_layers(expression):
    same(expression, 1e-6 if "fixed" not in expression else 1e-9)


@expressions("""
    F.mse_loss(x, y, reduction="median")
    F.binary_cross_entropy(x.sigmoid(), v)
    F.binary_cross_entropy_with_logits(x, v)
    nn.Conv2d(3, 4, 3, groups=2)
    nn.Conv2d(4, 3, 3, groups=2)
    nn.Conv2d(4, 4, 3, groups=0)
    nn.Conv2d(4, 4, 3, stride=2, padding="same")
    F.conv2d(image, image[:, :, :3, :2], stride=2, padding="same")
    F.conv2d(image, image[:, :, :3, :2], padding=-1)
    F.conv2d(image, image[:, :, :3, :2], stride=-1)
    F.conv2d(image, image[:, :, :3, :2], stride=0)
    F.conv2d(image, image[:, :, :3, :2], groups=0)
    F.conv2d(image, image[:, :, :3, :2], dilation=0)
    F.conv2d(image, image[:, :3, :3, :2])
    nn.Conv2d(4, 4, 3).double()(line[0])
    F.batch_norm(x[:1], None, None, training=True)
    F.layer_norm(x, (5,))
    F.layer_norm(x, ())
    nn.BatchNorm2d(4)(x)
    nn.BatchNorm1d(6)(image)
    nn.Dropout(1.5)
""")
def test_what_is_refused(expression):
    same_error(expression)
