// Thread pools of a recorded step: lanes of threads and streams (pools_lanes.js), and how far the step
// has come. clock.js, replay.js and player.js stand before them.

const ORDER = ["future", "queued", "running", "waiting", "over"];
/** In which phase a run is while its bar of a kind is on. */
const PHASES = { wait: "queued", kernel: "waiting", bar: "running", shard: "running", shards: "running" };

/** What a run is doing after event `frame`: "future", "queued", "running", "waiting" or "over". */
export function phaseAt([ready, taken, held, ended], frame) {
  if (frame >= ended) return "over";
  if (frame >= held && held < ended) return "waiting";
  if (frame >= taken) return "running";
  return frame >= ready ? "queued" : "future";
}

/** Everything there is to say of a run. */
export function runText(trace, run) {
  const name = `${trace.names[run.node]} (${trace.types[run.node]})` +
    (run.iteration ? `, ${iterationText(run.iteration)}` : "");
  const lane = trace.lanes[run.device];
  const where = lane.stream ? `in the stream of ${lane.place}, handed over by ${onThread(trace.threads[run.thread])}`
    : `on ${onThread(trace.threads[run.thread])}, ${lane.place}`;
  const waited = timeText(run.taken - run.ready);
  const parts = [`${name} ${where}: ready at ${timeText(run.ready)}, waited ${waited}`];
  if (run.kind === "skip") parts.push("was skipped");
  else if (run.ended < 0) parts.push("was still running when the recording ended");
  else parts.push(`${run.blocked ? "waited in its kernel and ran" : "ran"} ${timeText(run.ended - run.taken)}`);
  let text = `${parts.join(", ")}.`;
  if (run.kind === "fail") text += " It failed.";
  if (run.shards.length) {
    const lanes = new Set(run.shards.map(([lane]) => lane)).size;
    text += ` Its work was split: ${plural(run.shards.length, "shard")} on ${plural(lanes, "thread")}.`;
  }
  return trace.lines[run.node] ? `${text} Built in ${trace.lines[run.node]}.` : text;
}

/** Who runs what, and what waits, after event `frame`: a sentence. */
export function poolsText(trace, frame) {
  const names = (phase) => trace.runs.flatMap((run, id) => (
    phaseAt(trace.spans[id], frame) === phase ? [[run, placeText(trace, run.node, run.iteration)]] : []));
  const listed = (items) => (items.length > 6 ? `${items.slice(0, 5).join(", ")} and ${items.length - 5} more` : items.join(", "));
  const queued = names("queued").map(([, name]) => name);
  const running = names("running").map(([run, name]) => (
    `${name} ${trace.lanes[run.device].stream ? `in ${trace.lanes[run.device].place}` : `on ${onThread(trace.threads[run.thread])}`}`));
  const waiting = names("waiting").map(([, name]) => name);
  return `In the queue: ${listed(queued) || "nothing"}. Running: ${listed(running) || "nothing"}.` +
    (waiting.length ? ` Waiting in their kernels, without a thread: ${listed(waiting)}.` : "");
}

function render({ model, el }) {
  const trace = model.get("trace");
  let selected = -1;
  let shown = -1; // the event that was shown last
  const root = make(el, "div", {
    class: "tinytf-view tinytf-pools", tabindex: "0", role: "group",
    "aria-label": "Thread pools: which thread runs what. Right arrow: step. Left arrow: step back. " +
      "Space: play or pause. Up and down arrow: another operation.",
    "data-lm-suppress-shortcuts": "true",
  });
  const bar = make(root, "div", { class: "tinytf-bar-above" });
  make(bar, "strong", { class: "tinytf-heading" }, `Thread pools: ${plural(trace.threads.length, "inter-op thread")}`);
  const key = make(bar, "span", { class: "tinytf-legend" });
  const axes = make(bar, "span", { class: "tinytf-choices", role: "group", "aria-label": "Columns" });
  const buttons = Object.entries(AXES).map(([axis, title]) => {
    const button = make(axes, "button", { type: "button", "data-choice": axis }, title);
    button.addEventListener("click", () => setAxis(axis));
    return button;
  });
  const lanes = makeLanes(trace, make(root, "div", { class: "tinytf-lane-stage" }), {
    told: (id) => tell(id < 0 ? selected : id),
    chosen: (id) => select(id === selected ? -1 : id),
    jumped: (frame) => player.by(frame - player.frame()),
  });
  for (const [kind, text] of lanes.legend()) make(key, "span", { "data-legend": kind }, text);
  const player = makePlayer(model, root, make(root, "div"), trace);
  const state = make(root, "p", { class: "tinytf-pool-now" });
  const detail = make(root, "p", { class: "tinytf-detail", "aria-live": "polite" });
  make(root, "p", { class: "tinytf-aside" }, trace.remark);
  const isDrawn = trace.rows.length > 0;
  root.dataset.allDrawn = String(isDrawn);
  root.querySelector(".tinytf-lane-stage").hidden = axes.hidden = key.hidden = detail.hidden = !isDrawn;

  const clock = joinClock(trace.clock, {
    onTime(time) {
      if (time === trace.events[player.frame()].time) return;
      const at = trace.events.findLastIndex((event) => event.time <= time);
      if (at >= 0) player.by(at - player.frame());
    },
    onSelect: (name) => select(trace.runs.findIndex((run) => trace.names[run.node] === name), false),
  });

  function tell(id) {
    detail.textContent = id < 0 ? "Point at an operation, or go to it with the arrow keys up and down."
      : runText(trace, trace.runs[id]);
  }
  function setAxis(axis) {
    root.dataset.axis = axis;
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.choice === axis));
    if (!isDrawn) return;
    lanes.setAxis(axis);
    show();
    lanes.select(selected);
  }
  function select(id, isTold = true) {
    selected = id;
    lanes.select(id);
    tell(id);
    if (isTold && id >= 0) clock.select(trace.names[trace.runs[id].node]);
  }
  function show() {
    player.update();
    const frame = player.frame();
    const text = trace.spans.length ? poolsText(trace, frame) : "";
    state.textContent = text;
    if (isDrawn) lanes.show(frame, text, frame === shown + 1 && player.pace() <= 2);
    if (shown >= 0 && shown !== frame) clock.time(trace.events[frame].time);
    shown = frame;
  }
  listen(root, (pressed) => {
    const count = trace.runs.length;
    if (pressed === " ") player.toggle();
    else if (player.keys[pressed]) player.keys[pressed]();
    else if (pressed === "ArrowDown" && count) select((selected + 1) % count);
    else if (pressed === "ArrowUp" && count) select(selected <= 0 ? count - 1 : selected - 1);
    else return false;
    return true;
  });
  model.on("change:frame", show);
  setAxis("events");
  show();
  tell(-1);
  return () => {
    player.pause();
    lanes.dispose();
    clock.leave();
    model.off("change:frame", show);
  };
}

export default { render };
