// What plays a cockpit: the views beside it (tinytf/jupyter/cockpit_widget.py) hear of the time by the clock of
// their run. clock.js, replay.js and player.js stand before it.

/** A traced step as events, for the player. */
export function eventsOf({ runs, nodes }) {
  const told = runs.flatMap(([name, start, end]) => {
    const [title, task] = nodes[name] ?? [name, ""];
    const where = task ? ` on ${task}` : "";
    return [
      { time: start, kind: "take", text: `${title} begins${where}.` },
      { time: end, kind: "run", text: `${title} is done${where}, after ${timeText(end - start)}.` },
    ];
  });
  return [{ time: 0, kind: "start", text: "The step begins." }, ...told.sort((one, other) => one.time - other.time)];
}

function render({ model, el }) {
  const given = model.get("trace");
  const trace = given.events ? given : { ...given, events: eventsOf(given) };
  const root = make(el, "div", {
    class: "tinytf-view tinytf-transport", tabindex: "0", role: "group", "data-lm-suppress-shortcuts": "true",
    "aria-label": "One step in all views. Right arrow: an event on. Left arrow: an event back. Space: play or pause. Home and End: its ends.",
  });
  const player = makePlayer(model, root, root, trace);
  if (given.complete === false) make(root, "p", { class: "tinytf-aside" }, trace.events.at(-1).text);
  const clock = joinClock(trace.clock, {
    onTime(time) {
      const at = trace.events.findLastIndex((event) => event.time <= time);
      if (at >= 0 && at !== player.frame()) player.by(at - player.frame());
    },
  });
  function show() {
    player.update();
    clock.time(trace.events[player.frame()].time);
  }
  listen(root, (key) => {
    if (key === " ") player.toggle();
    else if (player.keys[key]) player.keys[key]();
    else return false;
    return true;
  });
  model.on("change:frame", show);
  player.update();
  return () => {
    player.pause();
    clock.leave();
    model.off("change:frame", show);
  };
}

export default { render };
