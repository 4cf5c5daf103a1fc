"""The listings that this project began with, in our own words; docs/seeds.md goes through them.

They are lessons on distributed TensorFlow: a lecture's notebook, two notebooks in Korean, slides.
Each program has what a listing does, with what it leaves out; recorded/ has what TensorFlow
prints.
Like tests/programs, whose scripts and rules are these programs' as well.
"""
