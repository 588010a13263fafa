"""Functions of `nn.functional` and the modules around them, beside torch's."""

import pytest

pytest.importorskip("torch", reason="torch is not installed: nothing to compare with")

from nn_comparison import expressions, same


@expressions("""
    F.relu(x), F.relu6(x * 5), F.elu(x, 0.7), F.selu(x), F.celu(x, 0.6), F.silu(x), F.mish(x), F.gelu(x, approximate="tanh")
    F.hardtanh(x, -0.5, 0.6), F.hardsigmoid(x * 3), F.hardswish(x * 3), F.softsign(x), F.tanhshrink(x), F.logsigmoid(x)
    F.softplus(x, 3, 1.5), F.softshrink(x, 0.3), F.hardshrink(x, 0.4), F.threshold(x, 0.2, 3.0), F.leaky_relu(x, 0.2)
    F.prelu(x, v), F.prelu(x, v[:1]), F.glu(x), F.glu(x, 0), F.rrelu(x, 0.1, 0.3)
    F.softmax(x, dim=-1), F.softmin(x, dim=0), F.log_softmax(x, 1), F.softmax(x, dim=1, dtype=torch.float32)
    F.elu(x * 1000), F.celu(x * 1000), F.selu(x * 1000)
    [f((x * 2).clone(), inplace=True) for f in (F.relu, F.relu6, F.elu, F.selu, F.celu, F.silu, F.mish, F.hardswish)]
    [nn.Sigmoid()(x), nn.ReLU6()(x), nn.CELU(2.0)(x), nn.Softmax(0)(x), nn.Threshold(0.1, 2)(x), nn.Softmax2d()(image)]
    fixed(nn.PReLU(4))(image), nn.LogSoftmax(1)(x), nn.GELU("tanh")(x), nn.Hardtanh(-2.0, 0.5)(x), nn.Softshrink(0.1)(x)
    F.prelu(x, v[:3])
    F.glu(x[:, :3])
    F.softshrink(x, -1.0)
    F.celu(x, 0.0)
    F.gelu(x, "exactly")
""")
def test_activations(expression):
    same(expression)


@expressions("""
    [F.smooth_l1_loss(x, y, reduction=r, beta=0.4) for r in ("mean", "sum", "none")], nn.SmoothL1Loss()(x, y)
    [F.huber_loss(x, y, reduction=r, delta=0.4) for r in ("mean", "sum", "none")], nn.HuberLoss("sum", 2.0)(x, y)
    F.smooth_l1_loss(x, y, beta=0.0), F.l1_loss(x, y), F.mse_loss(x, y, reduction="sum"), nn.L1Loss(reduction="none")(x, y)
    [F.kl_div(x, y.softmax(1), reduction=r) for r in ("batchmean", "mean", "sum", "none")]
    F.kl_div(x, y, log_target=True, reduction="batchmean"), F.kl_div(x, y.relu()), nn.KLDivLoss("sum")(x, y.softmax(1))
    F.binary_cross_entropy(x.sigmoid(), y.sigmoid(), v), nn.BCELoss(reduction="sum")(x.sigmoid(), y.sigmoid())
    F.binary_cross_entropy_with_logits(x, y.sigmoid(), v, pos_weight=w.exp()), nn.BCEWithLogitsLoss()(x, y.sigmoid())
    nn.BCEWithLogitsLoss(pos_weight=w.detach().exp())(x, y.sigmoid()), nn.BCELoss(v.detach())(x.sigmoid(), y.sigmoid())
    F.nll_loss(x, classes, v.detach().exp()), nn.NLLLoss(reduction="sum", ignore_index=5)(x, classes)
    [F.cross_entropy(x, classes, v.detach().exp(), reduction=r, label_smoothing=0.2) for r in ("mean", "sum", "none")]
    [F.cross_entropy(x, y.softmax(1), v.detach().exp(), reduction=r, label_smoothing=0.2) for r in ("mean", "sum", "none")]
    nn.CrossEntropyLoss(ignore_index=0)(x, classes), nn.CrossEntropyLoss(v.detach().exp(), label_smoothing=0.1)(x, classes)
    F.cross_entropy(image, classes[:2, None, None].expand(2, 7, 6) % 4), F.cross_entropy(v, classes[0])
    F.poisson_nll_loss(x, y.exp() * 3), F.poisson_nll_loss(x.exp(), y.exp() * 3, False, True), nn.PoissonNLLLoss(full=True)(x, y.exp())
    F.gaussian_nll_loss(x, y, x.exp()), nn.GaussianNLLLoss(full=True, reduction="sum")(x, y, y.exp())
    F.soft_margin_loss(x, y.sign()), F.hinge_embedding_loss(x, y.sign().detach(), 0.5), F.margin_ranking_loss(x, y, x.sign().detach(), 0.1)
    F.cosine_embedding_loss(x, y, torch.tensor([1, -1, -1, 1]), 0.1), nn.CosineEmbeddingLoss()(x, y, torch.tensor([1, -1, -1, 1]))
    F.triplet_margin_loss(x, y, x.flip(0)), F.triplet_margin_loss(x, y, x.flip(0), swap=True, p=1.0), nn.TripletMarginLoss(2.0)(x, y, y.flip(0))
    F.cosine_similarity(x, y), F.cosine_similarity(x, v, dim=-1), F.pairwise_distance(x, y), nn.CosineSimilarity(0)(x, y)
    nn.PairwiseDistance(keepdim=True)(x, y), F.normalize(x), F.normalize(x, p=1.0, dim=0), F.normalize(x * 0), F.normalize(x, 3.0)
    F.mse_loss(x, y, reduction="median")
    F.binary_cross_entropy(x.sigmoid(), v)
    F.binary_cross_entropy_with_logits(x, v)
    F.huber_loss(x, y, delta=0.0)
    F.smooth_l1_loss(x, y, beta=-1.0)
""")
def test_losses(expression):
    same(expression)


def test_targets_of_other_sizes_are_warned_of():
    import pairbond_autograd as ours

    for loss in (ours.nn.functional.mse_loss, ours.nn.functional.l1_loss, ours.nn.functional.smooth_l1_loss):
        with pytest.warns(UserWarning, match=r"Using a target size \(torch.Size\(\[3, 1\]\)\) that is different to"):
            loss(ours.ones(3), ours.ones(3, 1))


@expressions("""
    F.conv2d(image, image[:, :, :3, :2], padding="same"), F.conv2d(image, image[:, :, :2, :4], v[:2], padding="valid")
    F.conv2d(image, image[:, :, :3, :2], padding="same", dilation=2), F.conv1d(line, line[:, :, :3], v[:2], 2, 1)
    F.conv1d(line, line[:, :, :4], padding="same"), F.conv1d(line, small[:2, :2, :3], groups=2), F.conv1d(line[0], line[:, :, :3])
    F.conv_transpose2d(image[:, :2], image[:, :, :3, :2], stride=(2, 3), padding=1, output_padding=(1, 2), dilation=(1, 2))
    F.conv_transpose2d(image, image.reshape(4, 2, 7, 6)[:, :, :2, :3], v[:4], 2, groups=2), F.conv_transpose1d(line, small[:, :3].reshape(4, 3, -1)[:, :, :3] if False else line.transpose(0, 1)[:, :, :3], stride=2)
    fixed(nn.Conv2d(4, 6, 3, padding="same", groups=2))(image), fixed(nn.Conv1d(4, 2, 3, stride=2, padding=2, dilation=2))(line)
    [fixed(nn.Conv2d(4, 2, (3, 2), padding=p, padding_mode=m))(image) for m in ("reflect", "replicate", "circular") for p in (1, "same", "valid")]
    [fixed(nn.Conv1d(4, 2, 3, padding=2, padding_mode=m))(line) for m in ("reflect", "replicate", "circular")]
    fixed(nn.ConvTranspose2d(4, 2, 3, 2, 1))(image), fixed(nn.ConvTranspose2d(4, 2, 3, 2))(image, output_size=(16, 14)), fixed(nn.ConvTranspose1d(4, 2, 3, 2, 1, 1))(line)
    nn.Conv2d(3, 4, 3, groups=2)
    nn.Conv2d(4, 3, 3, groups=2)
    nn.Conv2d(4, 4, 3, groups=0)
    nn.Conv2d(4, 4, 3, padding="some")
    nn.Conv2d(4, 4, 3, stride=2, padding="same")
    F.conv2d(image, image[:, :, :3, :2], stride=2, padding="same")
    F.conv2d(image, image[:, :, :3, :2], padding=-1)
    F.conv2d(image, image[:, :, :3, :2], stride=-1)
    F.conv2d(image, image[:, :, :3, :2], stride=0)
    F.conv2d(image, image[:, :, :3, :2], groups=0)
    F.conv2d(image, image[:, :, :3, :2], dilation=0)
    F.conv2d(image, image[:, :3, :3, :2])
    nn.Conv2d(4, 4, 3)(line[0])
    nn.Conv1d(4, 4, 3)(image)
    nn.ConvTranspose2d(4, 4, 3, padding_mode="reflect")
    nn.ConvTranspose2d(4, 4, 3, 2).double()(image, output_size=(30, 30))
""")
def test_convolutions(expression):
    same(expression)


@expressions("""
    F.max_pool1d(line, 3), F.max_pool1d(line, 3, 2, 1, 2), F.max_pool1d(line, 2, return_indices=True), nn.MaxPool1d(2)(line)
    F.avg_pool1d(line, 3), F.avg_pool1d(line, 4, 3, 2, True, False), nn.AvgPool1d(2, 1)(line), F.avg_pool1d(line[0], 2)
    F.adaptive_avg_pool2d(image, (1, 1)), F.adaptive_avg_pool2d(image, (3, 4)), F.adaptive_avg_pool2d(image, (None, 2)), F.adaptive_avg_pool2d(image[0], 5)
    F.adaptive_avg_pool1d(line, 4), F.adaptive_max_pool1d(line, 4), F.adaptive_max_pool1d(line, 4, True), nn.AdaptiveMaxPool1d(2)(line)
    F.adaptive_max_pool2d(image, (3, 4)), F.adaptive_max_pool2d(image, (3, 4), True), nn.AdaptiveAvgPool2d((1, 1))(image), nn.AdaptiveMaxPool2d(2)(image)
    F.lp_pool2d(image, 2.0, 2), nn.LPPool2d(2, 3, 2)(image), nn.AdaptiveAvgPool1d(1)(line), nn.MaxPool2d(2, return_indices=True)(image)
    F.interpolate(image, scale_factor=2), F.interpolate(image, (5, 13)), F.interpolate(image, 4, mode="nearest-exact"), F.interpolate(line, 5)
    F.interpolate(image, (5, 13), mode="bilinear"), F.interpolate(image, scale_factor=(1.7, 0.6), mode="bilinear"), F.interpolate(line, 20, mode="linear")
    F.interpolate(image, (5, 13), mode="bilinear", align_corners=True), nn.Upsample(scale_factor=2, mode="bilinear")(image), nn.Upsample(3)(line)
    F.pixel_shuffle(image, 2), nn.PixelShuffle(2)(image), F.pixel_unshuffle(image[:, :, :6], 2)
    F.pixel_shuffle(image, 3)
    F.interpolate(image)
    F.interpolate(image, 2, 2)
    F.interpolate(image, 2, align_corners=True)
""")
def test_windows_and_sizes(expression):
    same(expression)


@expressions("""
    F.layer_norm(x, (6,), v, w), nn.LayerNorm(6, bias=False).double()(x), nn.LayerNorm((4, 6), elementwise_affine=False)(x), F.rms_norm(x, (6,), v)
    fixed(nn.LayerNorm(6))(x), fixed(nn.RMSNorm(6, eps=0.1))(x), fixed(nn.GroupNorm(2, 4))(image), nn.GroupNorm(4, 4, affine=False)(line)
    fixed(nn.BatchNorm1d(6))(x), fixed(nn.BatchNorm1d(4))(line), fixed(nn.BatchNorm2d(4))(image), nn.BatchNorm2d(4, affine=False).double().eval()(image)
    (lambda m: [m(image), m(image * 2), m.eval()(image), *m.buffers()])(fixed(nn.BatchNorm2d(4)))
    (lambda m: [m(image), m(image * 2), m.eval()(image), *m.buffers()])(fixed(nn.BatchNorm2d(4, momentum=None)))
    (lambda m: [m(image), m(image * 2), m.eval()(image), *m.buffers()])(fixed(nn.BatchNorm2d(4, track_running_stats=False)))
    (lambda m: [m(image), m.eval()(image), *m.buffers()])(fixed(nn.InstanceNorm2d(4, affine=True, track_running_stats=True)))
    F.instance_norm(image), nn.InstanceNorm1d(4)(line), nn.InstanceNorm2d(4)(image[0]), F.batch_norm(x, v.detach(), w.detach().exp(), v, w), F.group_norm(image, 2)
    F.batch_norm(x[:1], None, None, training=True)
    F.layer_norm(x, (5,))
    F.layer_norm(x, ())
    nn.BatchNorm2d(4)(x)
    nn.BatchNorm1d(6)(image)
    nn.GroupNorm(3, 4)
    F.bilinear(x, y, small[:, :, :1].expand(3, 4, 6).transpose(1, 2).expand(3, 6, 4).matmul(small[0, :4, :1].expand(4, 6)), v[:3])
    fixed(nn.Bilinear(6, 6, 3))(x, y), fixed(nn.Linear(6, 2))(x), fixed(nn.Linear(6, 2, bias=False))(line.reshape(4, 3, 6)), nn.Identity(3, some=4)(x)
    nn.Flatten()(image), nn.Flatten(0, 1)(image), nn.Unflatten(1, (2, 3))(x), nn.Unflatten(-1, [3, 2])(x)
    F.embedding(classes, x.t(), padding_idx=0), F.embedding(classes[:, None], x.t(), padding_idx=-1), fixed(nn.Embedding(6, 3, padding_idx=1))(classes)
    nn.Embedding.from_pretrained(x.detach())(classes % 4), nn.Embedding(6, 3, padding_idx=-2).weight[4].detach()
    F.one_hot(classes), F.one_hot(classes.reshape(2, 2), 7), F.one_hot(classes[:0], 3)
    F.one_hot(classes, 3)
    F.one_hot(-classes)
    F.one_hot(x)
    nn.Embedding(3, 2, padding_idx=3)
    nn.Unflatten(1, 3)
    nn.Dropout(1.5)
    F.scaled_dot_product_attention(small, small, small), F.scaled_dot_product_attention(small, small, small, is_causal=True)
    F.scaled_dot_product_attention(small, small, small, torch.tensor([[True, False, True, True]] * 4)), F.scaled_dot_product_attention(small, small, small, small[0, :, :4], scale=0.3)
""")
def test_norms_tables_and_attention(expression):
    same(expression, 1e-6 if "fixed" not in expression else 1e-9)
