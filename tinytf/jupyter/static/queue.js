// A queue as it is: a row of places, who waits on either side, and how full it has been. Its state
// comes from tinytf/jupyter/queue_view.py whenever it has changed; live.js stands before it.

/** The state as a sentence, for those who listen. */
export function queueText(state) {
  if (!state.made) return `The queue ${state.title}: no step has used it yet.`;
  const room = state.capacity === null ? "" : ` of ${state.capacity}`;
  const waits = state.enqueues.length + state.dequeues.length;
  return `The queue ${state.title} holds ${state.count}${room} elements and is ${state.closed ? "closed" : "open"}. ` +
    (waits ? `${counted(waits, "operations")} wait.`.replace("1 operation wait", "1 operation waits") : "Nobody waits.");
}

function render({ model, el }) {
  const root = make(el, "div", {
    class: "tinytf-live tinytf-live-queue", tabindex: "0", role: "group", "data-lm-suppress-shortcuts": "true",
  });
  const draw = () => {
    const state = model.get("state");
    root.replaceChildren();
    root.setAttribute("aria-label", queueText(state));
    Object.assign(root.dataset, {
      count: state.count, closed: state.closed, made: state.made, waiting: state.enqueues.length + state.dequeues.length,
    });
    const head = make(root, "div", { class: "tinytf-live-head" });
    make(head, "strong", {}, state.title);
    make(head, "span", {}, `${state.kind}${state.made ? "" : ", not used yet"}`);
    make(head, "span", { class: `tinytf-sign${state.closed ? " tinytf-closed" : ""}` }, state.closed ? "✕ closed" : "open");
    if (state.line) make(head, "span", { class: "tinytf-aside" }, state.line);
    if (state.why) make(root, "p", { class: "tinytf-why" }, `Closed: ${state.why}`);
    const row = make(root, "div", { class: "tinytf-live-row" });
    waiting(row, "to put in", state.enqueues.map((count) => `enqueue: ${counted(count)}`));
    places(row, state);
    waiting(row, "to take out", state.dequeues.map(([missing, taken]) => (
      `dequeue: ${counted(missing)} missing${taken ? `, ${taken} taken` : ""}`)));
    const foot = make(root, "div", { class: "tinytf-live-head" });
    make(foot, "span", {}, `${state.in} put in, ${state.out} taken out`);
    sparkline(foot, state.history ?? [], 1, state.capacity, "How full it has been");
    if (state.stay) make(foot, "span", {}, `${state.stay} stay while it is open (min_after_dequeue)`);
  };
  model.on("change:state", draw);
  draw();
  return () => model.off("change:state", draw);
}

/** Who waits on one side. */
function waiting(row, what, texts) {
  const side = make(row, "div", { class: "tinytf-waiting" });
  make(side, "div", { class: "tinytf-aside" }, texts.length ? `waiting ${what}` : `nobody waits ${what}`);
  for (const text of texts.slice(0, 6)) make(side, "div", { class: "tinytf-waits" }, `… ${text}`);
  if (texts.length > 6) make(side, "div", { class: "tinytf-aside" }, `and ${texts.length - 6} more`);
}

/** The places of a queue; what is taken next stands on the right. */
function places(row, state) {
  const list = make(row, "ol", { class: "tinytf-places", reversed: "", title: state.ordered ? "The one on the right is taken next" : "Any of them may be taken next" });
  const free = state.capacity === null ? 0 : state.capacity - state.count;
  const room = Math.max(24 - state.elements.length, 0);
  if (free > room) make(list, "li", { class: "tinytf-aside" }, `+ ${free - room} free`);
  for (let n = 0; n < Math.min(free, room); n++) make(list, "li", { class: "tinytf-free", "aria-label": "free" });
  const more = state.count - state.elements.length;
  if (more) make(list, "li", { class: "tinytf-aside" }, `+ ${more} more`);
  for (const element of [...state.elements].reverse()) make(list, "li", { class: "tinytf-element" }, element);
  if (!state.count) make(list, "li", { class: "tinytf-aside" }, "empty");
}

export default { render };
