"""Random numbers that depend on a parameter."""

#: A number that was drawn jumps where another one would have been accepted; its gradient tells how
#: the distribution moves.
CHECKED_ELSEWHERE = {"RandomGamma": "tests/ops/random/test_random.py: test_gammas_move_with_alpha"}
