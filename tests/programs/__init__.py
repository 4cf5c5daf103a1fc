"""Programs written for TensorFlow 1.x, as people have them, and what TensorFlow prints for each.

    layers/tied_autoencoder.py      a program: `import tensorflow as tf`, and prints at the end
    recorded/layers.json            the text that TensorFlow 2.15.1 prints for it

A program is run as it is, in a folder of its own, with tinytf in TensorFlow's place
(`tinytf.compatibility`), and has to print the same text, letter by letter. So it draws with seeds,
and rounds what it prints; it depends on no machine, time or network, and starts no process. What
it writes goes into the current folder.

    python3 scripts/oracle/record_programs.py [kind[/name] ...]

runs the programs of these folders under TensorFlow and records them. tf.contrib, which 2.15.1 has
lost, is stood in for by what became of its names: tests/oracle/moved says what.
"""
