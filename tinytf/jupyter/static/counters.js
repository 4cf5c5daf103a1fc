// Plays a recorded step: counters counting down, the ready queue, what just happened.
// The trace comes once, from tinytf/jupyter/counters.py, with the drawing laid out in Python.

const BADGES = { done: "✓", skipped: "✕", blocked: "…", failed: "!", fed: "in" };
const AFTER = { run: "done", skip: "skipped", block: "blocked", fail: "failed" };
const MILLISECONDS = 900;

/** Everything that is shown after event number `frame`, computed from the start. */
export function stateAt(trace, frame) {
  const nodes = trace.counters.map((count) => ({
    count, state: "waiting", note: "", values: [], ended: "",
  }));
  const queue = [];
  for (const event of trace.events.slice(0, frame + 1)) {
    const at = queue.findIndex(([n, i]) => n === event.node && i === event.iteration);
    if (at >= 0) queue.splice(at, 1);
    if (event.node >= 0) {
      const node = nodes[event.node];
      node.ended = AFTER[event.kind];
      node.note = event.iteration;
      if (event.values.length) node.values = event.values;
    }
    for (const [n, count, iteration] of event.changes) {
      nodes[n].count = count;
      nodes[n].note = iteration;
    }
    queue.push(...event.ready);
  }
  const queued = new Set(queue.map(([n]) => n));
  nodes.forEach((node, n) => {
    // In a loop, a node that has run may already wait for its next iteration.
    const waits = node.count > 0 || !node.ended;
    node.state = queued.has(n) ? "ready" : waits ? "waiting" : node.ended;
  });
  return { nodes, queue };
}

function make(parent, tag, attributes = {}, text = "") {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.textContent = text;
  parent.append(element);
  return element;
}

const plural = (count, noun) => `${count} ${noun}${count === 1 ? "" : "s"}`;
const iterationText = (iteration) => (iteration ? `iteration ${iteration}` : "");
const iterationMark = (iteration) => (iteration ? `#${iteration}` : "");

/** The text of the line about one node: what it waits for, or what it computed. */
function describe(name, node, fed) {
  if (fed) return `${fed} (fed)`;
  const where = node.note ? ` (${iterationText(node.note)})` : "";
  const values = node.values.length ? `: ${node.values.join("; ")}` : "";
  const said = {
    waiting: `waits for ${plural(node.count, "input")}`, ready: "is in the ready queue",
    done: "has run", skipped: "was skipped", blocked: "waits in its kernel", failed: "failed",
  }[node.state];
  return `${name}${where} ${said}${values}`;
}

function render({ model, el }) {
  const trace = model.get("trace");
  const last = trace.events.length - 1;
  let timer = null;

  const root = make(el, "div", {
    class: "tinytf-counters", tabindex: "0", role: "group",
    "aria-label": `Dependency counters of ${plural(trace.names.length, "operation")}. ` +
      "Right arrow: step. Left arrow: step back. Space: play or pause.",
    "data-lm-suppress-shortcuts": "true", // arrow keys are for the widget, not for the notebook
  });
  make(root, "p", { class: "tinytf-aside" }, trace.remark);

  const controls = make(root, "div", { class: "tinytf-controls" });
  const button = (name, label, title) =>
    make(controls, "button", { class: `tinytf-${name}`, type: "button", title }, label);
  const reset = button("reset", "Reset", "Back to the beginning (Home)");
  const back = button("back", "◀ Step back", "One event back (left arrow)");
  const play = button("play", "▶ Play", "Play or pause (space)");
  const step = button("step", "Step ▶", "One event on (right arrow)");
  const slider = make(controls, "input", {
    class: "tinytf-slider", type: "range", min: "0", max: String(last), step: "1",
    "aria-label": "Jump to an event",
  });
  const position = make(controls, "span", { class: "tinytf-position" });
  const speedLabel = make(controls, "label", { class: "tinytf-speed-label" }, "Speed ");
  const speed = make(speedLabel, "select", { class: "tinytf-speed" });
  for (const factor of ["0.5", "1", "2", "5", "20"]) {
    make(speed, "option", { value: factor }, `${factor}×`).selected = factor === "1";
  }
  const now = make(root, "p", { class: "tinytf-now", "aria-live": "polite" });

  const stage = make(root, "div", { class: "tinytf-stage" });
  const drawing = make(stage, "div", { class: "tinytf-scroll" });
  drawing.innerHTML = trace.svg;
  const side = make(stage, "div", { class: "tinytf-side" });
  make(side, "div", { class: "tinytf-heading" }, "Ready queue");
  const queueList = make(side, "ol", { class: "tinytf-queue", "aria-label": "Ready queue" });
  const detail = make(root, "p", { class: "tinytf-detail" });

  const story = make(root, "details", { class: "tinytf-story" });
  make(story, "summary", {}, "What happens, step by step");
  const lines = make(story, "ol", { start: "0" });

  const shapes = new Map();
  for (const g of drawing.querySelectorAll("[data-node]")) shapes.set(g.dataset.node, g);
  const edges = [...drawing.querySelectorAll(".tinytf-edge")];
  let shown = null;
  let pointed = null;

  function showDetail() {
    const n = trace.names.indexOf(pointed);
    detail.textContent = pointed === null
      ? "Point at an operation to see its value."
      : describe(pointed, shown.nodes[n], trace.fed[pointed]);
  }

  function show() {
    const frame = Math.min(Math.max(model.get("frame"), 0), last);
    const event = trace.events[frame];
    const current = event.node >= 0 ? trace.names[event.node] : null;
    shown = stateAt(trace, frame);
    trace.names.forEach((name, n) => {
      const { count, state, note } = shown.nodes[n];
      const g = shapes.get(name);
      g.dataset.count = count;
      g.dataset.state = state;
      g.dataset.current = String(name === current);
      g.querySelector(".tinytf-count").textContent = BADGES[state] ?? count;
      g.querySelector(".tinytf-note").textContent = iterationMark(note);
    });
    for (const edge of edges) {
      edge.dataset.current = String(event.kind === "run" && edge.dataset.source === current);
    }
    if (current !== null) follow(shapes.get(current));
    queueList.replaceChildren();
    for (const [n, iteration] of shown.queue) {
      const text = trace.names[n] + (iteration ? ` (${iterationText(iteration)})` : "");
      make(queueList, "li", { "data-node": trace.names[n] }, text);
    }
    if (!shown.queue.length) make(queueList, "li", { class: "tinytf-empty" }, "empty");
    now.textContent = event.text;
    now.dataset.kind = event.kind;
    slider.value = String(frame);
    slider.setAttribute("aria-valuetext", event.text);
    position.textContent = `event ${frame} of ${last}`;
    root.dataset.frame = String(frame);
    back.disabled = reset.disabled = frame === 0;
    step.disabled = frame === last;
    lines.querySelector("[aria-current]")?.removeAttribute("aria-current");
    lines.children[frame]?.setAttribute("aria-current", "step");
    showDetail();
  }

  /** Keep what just ran in sight, inside the drawing's own scroll area. */
  function follow(g) {
    const box = g.getBoundingClientRect();
    const view = drawing.getBoundingClientRect();
    const room = 30;
    if (box.top < view.top + room) drawing.scrollTop -= view.top + room - box.top;
    if (box.bottom > view.bottom - room) drawing.scrollTop += box.bottom - view.bottom + room;
    if (box.left < view.left + room) drawing.scrollLeft -= view.left + room - box.left;
    if (box.right > view.right - room) drawing.scrollLeft += box.right - view.right + room;
  }

  function go(frame) {
    model.set("frame", Math.min(Math.max(frame, 0), last));
    model.save_changes();
  }
  function pause() {
    clearInterval(timer);
    timer = null;
    play.textContent = "▶ Play";
    root.dataset.playing = "false";
    now.setAttribute("aria-live", "polite");
  }
  function tick() {
    if (model.get("frame") < last) go(model.get("frame") + 1);
    if (model.get("frame") >= last) pause();
  }
  function start() {
    if (model.get("frame") >= last) go(0);
    clearInterval(timer);
    timer = setInterval(tick, MILLISECONDS / Number(speed.value));
    play.textContent = "Pause";
    root.dataset.playing = "true";
    now.setAttribute("aria-live", "off"); // a reader cannot keep up with a film
  }
  const by = (distance) => {
    pause();
    go(model.get("frame") + distance);
  };
  const toggle = () => (timer === null ? start() : pause());

  reset.addEventListener("click", () => by(-Infinity));
  back.addEventListener("click", () => by(-1));
  step.addEventListener("click", () => by(1));
  play.addEventListener("click", toggle);
  speed.addEventListener("change", () => timer !== null && start());
  slider.addEventListener("input", () => {
    pause();
    go(Number(slider.value));
  });
  root.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // JupyterLab asks only the focused element whether to be quiet: on a button, its x would cut the
    // cell, and on the slider its arrows would go to another cell.
    if (event.key !== "Tab" && event.key !== "Escape") event.stopPropagation();
    if (event.target === slider || event.target === speed) return; // they have their own keys
    const actions = {
      ArrowRight: () => by(1), ArrowLeft: () => by(-1),
      Home: () => by(-Infinity), End: () => by(Infinity),
    };
    if (event.target === root) actions[" "] = toggle; // on a button, space presses it
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });
  story.addEventListener("toggle", () => {
    if (!story.open || lines.children.length) return;
    trace.events.forEach((event, number) => {
      make(lines, "li", {}, event.text).addEventListener("click", () => by(number - model.get("frame")));
    });
    show();
  });
  for (const [name, g] of shapes) {
    g.addEventListener("mouseenter", () => { pointed = name; showDetail(); });
    g.addEventListener("mouseleave", () => { pointed = null; showDetail(); });
  }
  model.on("change:frame", show);
  pause();
  show();
  return () => {
    clearInterval(timer);
    model.off("change:frame", show);
  };
}

export default { render };
