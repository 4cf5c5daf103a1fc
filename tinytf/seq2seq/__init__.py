"""`tf.contrib.seq2seq`: from a sequence to a sequence of another length.

decoding.py           Decoder, dynamic_decode: a loop that ends when all sequences have
basic.py              BasicDecoder: a cell, whose inputs a helper makes
helpers.py            the helpers: what the next input is, in training and after it
losses.py             sequence_loss
attention.py          Bahdanau's and Luong's attention to the parts of a sequence
attention_wrapper.py  AttentionWrapper: a cell that pays it
beams.py              BeamSearchDecoder, tile_batch, gather_tree: the most likely sequences
"""
