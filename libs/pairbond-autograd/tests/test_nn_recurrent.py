"""Recurrent layers beside torch's."""

import pytest

pytest.importorskip("torch", reason="torch is not installed: nothing to compare with")

from nn_comparison import expressions, ours, same, same_error, theirs


@expressions("""
    fixed(nn.LSTM(5, 3))(small)
    fixed(nn.LSTM(5, 3, 2, bidirectional=True))(small)
    fixed(nn.LSTM(5, 3, batch_first=True, bias=False))(small)
    fixed(nn.LSTM(5, 4))(small, (small[:1, :, :4], small[1:2, :, 1:]))
    fixed(nn.LSTM(5, 3))(small[0])
    fixed(nn.GRU(5, 3, 2))(small)
    fixed(nn.GRU(5, 4, batch_first=True))(small, small[:1, :3, :4].contiguous())
    fixed(nn.GRU(5, 4, bidirectional=True))(small, small[:2, :, 1:])
    fixed(nn.RNN(5, 3))(small)
    fixed(nn.RNN(5, 3, 2, "relu", dropout=0.5).eval())(small)
    fixed(nn.LSTMCell(5, 4))(small[0])
    fixed(nn.LSTMCell(5, 4))(small[0], (small[1, :, :4], small[2, :, 1:]))
    fixed(nn.GRUCell(5, 4))(small[0, 0], small[1, 0, :4])
    fixed(nn.GRUCell(5, 3, bias=False))(small[0])
    fixed(nn.RNNCell(5, 4, nonlinearity="relu"))(small[0], small[1, :, :4])
""")
def test_sequences(expression):
    same(expression)


@expressions("""
    nn.LSTM(5, 0)
    nn.GRU(5, 3, 0)
    nn.RNN(5, 3, nonlinearity="some")
    nn.LSTM(5, 3).double()(image)
    nn.GRU(4, 3).double()(small)
    nn.LSTMCell(5, 3).double()(small)
""")
def test_what_is_refused(expression):
    same_error(expression)


@expressions("""
    nn.LSTM(5, 3)
    nn.GRU(5, 3, 2, False, True, 0.1, True)
    nn.RNN(5, 3, num_layers=2)
    nn.LSTMCell(5, 3, False)
    nn.RNNCell(5, 3, nonlinearity="relu")
""")
def test_names_and_representations(expression):
    here, there = (eval(expression, {"nn": torch.nn}) for torch in (ours, theirs))
    assert repr(here) == repr(there)
    assert [name for name, _ in here.named_parameters()] == [name for name, _ in there.named_parameters()]
