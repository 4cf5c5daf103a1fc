// Thread pools of a recorded step: lanes of threads and streams, and how far the step has come.

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
  const root = make(el, "div", {
    class: "tinytf-pools", tabindex: "0", role: "group",
    "aria-label": "Thread pools: which thread runs what. Right arrow: step. Left arrow: step back. " +
      "Space: play or pause. Up and down arrow: another operation.",
    "data-lm-suppress-shortcuts": "true",
  });
  make(root, "p", { class: "tinytf-aside" }, trace.remark);
  const player = makePlayer(model, root, make(root, "div"), trace);
  const state = make(root, "p", { class: "tinytf-pool-now" });
  const axes = make(root, "div", { class: "tinytf-controls tinytf-axis", role: "group", "aria-label": "Axis" });
  make(axes, "span", {}, "Axis:");
  const titles = { events: "one column an event", time: "time" };
  const buttons = Object.keys(trace.drawings).map((axis) => {
    const button = make(axes, "button", { type: "button", "data-choice": axis }, titles[axis]);
    button.addEventListener("click", () => setAxis(axis));
    return button;
  });
  axes.hidden = !buttons.length;
  const drawing = make(root, "div", { class: "tinytf-scroll" });
  const more = make(root, "p", { class: "tinytf-aside tinytf-more", "aria-hidden": "true" });
  const detail = make(root, "p", { class: "tinytf-detail", "aria-live": "polite" });
  drawing.addEventListener("scroll", () => sayMore(drawing, more));
  const observer = new ResizeObserver(() => sayMore(drawing, more));
  observer.observe(drawing);
  let marked = [];

  function tell(id) {
    detail.textContent = id < 0 ? "Point at an operation, or choose one with the arrow keys up and down."
      : runText(trace, trace.runs[id]);
  }
  function setAxis(axis) {
    if (!(axis in trace.drawings)) return;
    root.dataset.axis = axis;
    for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset.choice === axis));
    drawing.innerHTML = trace.drawings[axis];
    marked = [...drawing.querySelectorAll("[data-run]")];
    for (const shape of marked) {
      const id = Number(shape.dataset.run);
      shape.addEventListener("mouseenter", () => tell(id));
      shape.addEventListener("mouseleave", () => tell(selected));
      shape.addEventListener("click", () => select(id));
    }
    sayMore(drawing, more);
    show();
    select(selected);
  }
  function select(id) {
    selected = id;
    for (const shape of marked) {
      shape.dataset.selected = String(Number(shape.dataset.run) === id && shape.tagName === "g");
    }
    const shape = marked.find((s) => s.dataset.selected === "true");
    if (shape) follow(drawing, shape);
    tell(id);
  }
  function show() {
    player.update();
    const frame = player.frame();
    state.textContent = trace.spans.length ? poolsText(trace, frame) : "";
    const current = trace.events[frame].run;
    for (const shape of marked) {
      const id = Number(shape.dataset.run);
      const phase = phaseAt(trace.spans[id], frame);
      const waits = shape.classList.contains("tinytf-wait") ? "queued"
        : shape.classList.contains("tinytf-kernel") ? "waiting" : "running";
      const order = ["future", "queued", "running", "waiting", "over"];
      const when = order.indexOf(phase) - order.indexOf(waits);
      shape.dataset.when = when < 0 ? "future" : when === 0 ? "running" : "over";
      shape.dataset.current = String(id === current);
    }
    const cursor = drawing.querySelector(".tinytf-cursor");
    if (!cursor) return;
    const x = trace.places[root.dataset.axis][frame];
    cursor.setAttribute("x1", x);
    cursor.setAttribute("x2", x);
    const left = drawing.scrollLeft + 170;
    if (x < left || x > drawing.scrollLeft + drawing.clientWidth - 30) {
      drawing.scrollLeft = Math.max(0, x - drawing.clientWidth / 2);
    }
  }
  listen(root, (key) => {
    const count = trace.runs.length;
    if (key === " ") player.toggle();
    else if (player.keys[key]) player.keys[key]();
    else if (key === "ArrowDown" && count) select((selected + 1) % count);
    else if (key === "ArrowUp" && count) select(selected <= 0 ? count - 1 : selected - 1);
    else return false;
    return true;
  });
  model.on("change:frame", show);
  setAxis(trace.axis);
  show();
  tell(-1);
  return () => {
    player.pause();
    observer.disconnect();
    model.off("change:frame", show);
  };
}

export default { render };
