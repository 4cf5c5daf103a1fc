"""How a page looks: the light of its colours, in both themes of JupyterLab."""

from tests.browser import lab

_STYLE = """([selector, style]) => {
  const element = document.querySelector(selector);
  return element && getComputedStyle(element)[style];
}"""


def luminance(page, selector, style):
    """Of a computed colour of the first such element, 0 to 1.

    A widget may draw the element anew at any moment, the mouse being where it is: one that is no
    longer on the page has no colours.
    """
    text = page.wait_for_function(_STYLE, arg=[selector, style]).json_value()
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
