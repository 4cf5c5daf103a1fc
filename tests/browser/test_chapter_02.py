"""Chapter 2 in JupyterLab: run all, ask the rooms why."""

from tests.browser.chapters import course, in_theme, marks, run_chapter  # noqa: F401 - course: autouse

pytestmark = marks(seconds=240)

NAME = "02_devices_and_placement.ipynb"


@in_theme("dark")
def test_chapter_2_runs_and_its_rooms_say_why(open_notebook, theme):
    opened = open_notebook(f"notebooks/{NAME}", theme=theme)
    show = run_chapter(opened, NAME, theme)
    show("way-2-here").locator("pre", has_text="second_program.py").first.wait_for()

    rooms = show("rooms")
    rooms.locator('[data-node="tower0/MatMul"]').first.click()
    why = rooms.locator('.tinytf-why[data-op="tower0/MatMul"]')
    why.filter(has_text="pinned by tf.device('/device:GPU:0')").wait_for()
    opened.screenshot(f"chapter-02-rooms-{theme}", rooms)
    for cell_id in ("predict-seen", "error-oom", "error-momentum", "digits-pace", "ex1-check"):
        opened.screenshot(f"chapter-02-{cell_id}-{theme}", show(cell_id))
    assert opened.problems == []
