"""How many examples a property is tried on: fewer in the default run, more in an exhaustive one."""

from hypothesis import settings


def examples(count: int) -> settings:
    """`@examples(60)`: 60 examples of a property, or as many more or fewer as the profile says.

    `conftest.py` chooses the profile: 100 examples where nothing else is said, a fifth of that in
    the default run, three times that in an exhaustive one. Without this decorator a property is
    tried that many times.
    """
    return settings(max_examples=max(1, count * settings.default.max_examples // 100))


def rounds(count: int) -> int:
    """How often to repeat what `count` rounds show best, in this run: likewise."""
    return max(1, count * settings.default.max_examples // 100)
