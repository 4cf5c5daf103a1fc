"""How a page looks: the light of its colours, in both themes of JupyterLab."""

from tests.browser import lab


def luminance(page, selector, style):
    """Of a computed colour, 0 to 1."""
    text = page.eval_on_selector(selector, f"element => getComputedStyle(element).{style}")
    numbers = [
        float(n)
        for n in text[text.index("(") + 1 : -1].replace("srgb", "").replace(",", " ").split()[:3]
    ]
    share = 1 if text.startswith("color") else 255
    red, green, blue = (n / share for n in numbers)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def papers(opened):
    """Change to each theme in turn; its name, and the luminance of what the notebook is on.

    What a notebook shows is the same in both but for its colours: one run is looked at twice.
    """
    for theme in lab.THEMES:
        opened.set_theme(theme)
        opened.page.evaluate(lab.AT_REST)
        paper = luminance(opened.page, ".jp-NotebookPanel", "backgroundColor")
        assert (paper > 0.8) == (theme == "light")
        yield theme, paper
