// What both widgets of a recorded step share: its state after an event, and the words for it.
// The trace comes once, from tinytf/jupyter/trace.py. These files are put together in Python:
// replay.js, player.js, then those of the widget.

const BADGES = { done: "✓", skipped: "✕", blocked: "…", failed: "!", fed: "in", running: "▶" };
const AFTER = { take: "running", run: "done", skip: "skipped", block: "blocked", fail: "failed" };

const KEPT = 64; // a state is kept after so many events: no state is more than these away
const keptOf = new WeakMap();

/** The state before the first event. */
const beginning = (trace) => ({
  nodes: trace.counters.map((count) => ({ count, state: "waiting", note: "", values: [], ended: "" })),
  queue: [],
});

/** What an event changes. */
function follows(state, event) {
  const { nodes, queue } = state;
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

const copied = ({ nodes, queue }) => ({ nodes: nodes.map((node) => ({ ...node })), queue: [...queue] });

/** States along the trace, made once. */
function kept(trace) {
  if (!keptOf.has(trace)) {
    const state = beginning(trace);
    const states = [];
    trace.events.forEach((event, number) => {
      if (number % KEPT === 0) states.push(copied(state));
      follows(state, event);
    });
    keptOf.set(trace, states);
  }
  return keptOf.get(trace);
}

/** Everything that is shown after event number `frame`. */
export function stateAt(trace, frame) {
  const from = Math.max(0, Math.floor(frame / KEPT));
  const state = frame < 0 ? beginning(trace) : copied(kept(trace)[from]);
  for (let number = from * KEPT; number <= frame; number++) follows(state, trace.events[number]);
  const queued = new Set(state.queue.map(([n]) => n));
  state.nodes.forEach((node, n) => {
    // In a loop, a node that has run may already wait for its next iteration.
    const waits = !node.ended || (node.count > 0 && node.ended !== "running");
    node.state = queued.has(n) ? "ready" : waits ? "waiting" : node.ended;
  });
  return state;
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

/** A node in an iteration: "while/Mul (iteration 2)". */
const placeText = (trace, n, iteration) =>
  trace.names[n] + (iteration ? ` (${iterationText(iteration)})` : "");

/** A thread in a sentence: "the calling thread", "inter-op thread 1". */
const onThread = (name) => (/\d$/.test(name) ? name : `the ${name}`);

/** A time in words: "1.25 ms", three digits. */
export function timeText(ns) {
  for (const [unit, size] of [["s", 1e9], ["ms", 1e6], ["µs", 1e3]]) {
    if (ns >= size) return `${Number((ns / size).toPrecision(3))} ${unit}`;
  }
  return `${Math.round(ns)} ns`;
}

/** The text of the line about one node: what it waits for, or what it computed. */
export function describe(name, node, fed) {
  if (fed) return `${fed} (fed)`;
  const where = node.note ? ` (${iterationText(node.note)})` : "";
  const values = node.values.length ? `: ${node.values.join("; ")}` : "";
  const said = {
    waiting: `waits for ${plural(node.count, "input")}`, ready: "is in the ready queue",
    running: "is running", done: "has run", skipped: "was skipped",
    blocked: "waits in its kernel", failed: "failed",
  }[node.state];
  return `${name}${where} ${said}${values}`;
}

/** Scroll bars may be hidden: say in words where a drawing goes on. */
function sayMore(scroll, more) {
  const below = scroll.scrollHeight - scroll.clientHeight - scroll.scrollTop > 24; // its margin
  const right = scroll.scrollWidth - scroll.clientWidth - scroll.scrollLeft > 8;
  const where = [below && "below ↓", right && "to the right →"].filter(Boolean).join(" and ");
  more.textContent = where && `The drawing goes on ${where} (scroll).`;
}

/** Keep something in sight, inside the scroll area around it. */
function follow(scroll, shape, room = 30) {
  const box = shape.getBoundingClientRect();
  const view = scroll.getBoundingClientRect();
  if (box.top < view.top + room) scroll.scrollTop -= view.top + room - box.top;
  if (box.bottom > view.bottom - room) scroll.scrollTop += box.bottom - view.bottom + room;
  if (box.left < view.left + room) scroll.scrollLeft -= view.left + room - box.left;
  if (box.right > view.right - room) scroll.scrollLeft += box.right - view.right + room;
}
