"""Recurrent networks: `tf.nn.rnn_cell`, `tf.nn.dynamic_rnn` and its kin, `tf.contrib.rnn`.

sizes.py       states of zeros, and the sizes they are made of
base.py        `RNNCell`: what a cell is, and what is said of a state that does not fit
cells.py       BasicRNNCell, GRUCell
lstm.py        LSTMStateTuple, BasicLSTMCell, LSTMCell
stacked.py     MultiRNNCell: cells one above the other
wrappers.py    dropout, residual connections and devices around a cell
step.py        one step of sequences that have different lengths
dynamic.py     dynamic_rnn, bidirectional_dynamic_rnn: a loop in the graph
static.py      static_rnn and its kin: a cell for each step of time in the graph
raw.py         raw_rnn: a loop whose inputs depend on what came before
more_cells.py  cells of tf.contrib.rnn: layer normalisation, cells that are one operation
projections.py wrappers of tf.contrib.rnn: projections, embedding, attention
two_ways.py    layers that read both ways, one above the other
"""
