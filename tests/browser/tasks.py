"""How long the tasks of a page take: what takes long freezes it."""

import json
from contextlib import contextmanager

#: Of several pages, the one that is looked at.
_MARK = "tinytf-looked-at"


@contextmanager
def task_times(browser, page):
    """Trace a page; at the end the list holds the processor time of each of its tasks, in ms."""
    took = []
    browser.start_tracing(page=page, categories=["toplevel", "blink.user_timing"])
    page.evaluate("name => performance.mark(name)", _MARK)
    yield took
    events = json.loads(browser.stop_tracing())["traceEvents"]
    [process] = {event["pid"] for event in events if event["name"] == _MARK}
    [main] = {
        event["tid"]
        for event in events
        if event["pid"] == process
        and event["name"] == "thread_name"
        and event["args"]["name"] == "CrRendererMain"
    }
    # In tdur, in µs: not how long others kept it waiting.
    took += [
        event.get("tdur", 0) / 1000
        for event in events
        if (event["pid"], event["tid"]) == (process, main) and "RunTask" in event["name"]
    ]


def play(page, player, *parts):
    """Play a step to its end; parts: a speed each, and the event up to which it is played so.

    What a player does for an event it does at every speed, but moves things only up to 5×.
    """
    for number, (speed, end) in enumerate(parts):
        page.select_option(f"{player} .tinytf-speed", speed)
        if number == 0:
            page.click(f"{player} .tinytf-play")
            page.wait_for_selector(f'{player}[data-playing="true"]')
        page.wait_for_function(
            "([player, end]) => {"
            " const { frame, playing } = document.querySelector(player).dataset;"
            " return Number(frame) >= end || playing === 'false'; }",
            arg=[player, end],
            timeout=120_000,
        )
    page.wait_for_selector(f'{player}[data-playing="false"]', timeout=120_000)
