// A queue as it is: a row of places, who waits on either side, and how full it has been. Its state
// comes from tinytf/jupyter/queue_view.py whenever it has changed; page.js and live.js stand before it.

const MOST_PLACES = 24;

/** The state in words. */
export function queueText(state) {
  if (!state.made) return `No step ${state.ended ? "ever used" : "has used"} the queue ${state.title}${state.ended ? "" : " yet"}.`;
  const held = `${state.count}${state.capacity === null ? "" : ` of ${state.capacity}`} ${state.capacity === 1 || (state.capacity === null && state.count === 1) ? "element" : "elements"}`;
  if (state.ended) return `The session is closed, and this queue with it: it held ${held}. Whoever waited was told so, and nobody waits now.`;
  const extreme = state.count === state.capacity ? " It is full." : state.count ? "" : " It is empty.";
  const closed = state.closed ? " It is closed: nothing more is put in; what is left can be taken." : "";
  const waits = [
    state.enqueues.length && `${counted(state.enqueues.length, "enqueues")} ${state.enqueues.length === 1 ? "waits" : "wait"} for room`,
    state.dequeues.length && `${counted(state.dequeues.length, "dequeues")} ${state.dequeues.length === 1 ? "waits" : "wait"} for elements`,
  ].filter(Boolean).join(", and ");
  return `${state.title} holds ${held}.${extreme}${closed} ${waits || "Nobody waits"}.`;
}

function render({ model, el }) {
  const root = make(el, "div", {
    class: "tinytf-view tinytf-live tinytf-live-queue", tabindex: "0", role: "group", "data-lm-suppress-shortcuts": "true",
  });
  const draw = () => {
    const state = model.get("state");
    root.replaceChildren();
    root.setAttribute("aria-label", queueText(state));
    Object.assign(root.dataset, {
      count: state.count, closed: state.closed, made: state.made, ended: state.ended ?? false,
      waiting: state.enqueues.length + state.dequeues.length,
    });
    const head = make(root, "div", { class: "tinytf-live-head" });
    make(head, "strong", {}, state.title);
    make(head, "span", { class: "tinytf-quiet" }, state.kind);
    const [sign, word] = state.ended ? ["■", "session closed"] : state.closed ? ["✕", "closed"] : state.made ? ["●", "open"] : ["○", "not used yet"];
    make(head, "span", { class: "tinytf-sign", "data-sign": word }, `${sign} ${word}`);
    if (state.line) make(head, "span", { class: "tinytf-quiet tinytf-line" }, state.line);
    const row = make(root, "div", { class: "tinytf-queue" });
    waiting(row, "put in", state.enqueues.map((count) => `enqueue · ${counted(count)}`), state.ended);
    places(row, state);
    waiting(row, "take out", state.dequeues.map(([missing, taken]) => (
      `dequeue · ${missing} missing${taken ? `, has ${taken}` : ""}`)), state.ended);
    const foot = make(root, "div", { class: "tinytf-live-head" });
    make(foot, "span", {}, `${state.in} put in, ${state.out} taken out`);
    const moments = state.history ?? [];
    const history = make(foot, "span", { class: "tinytf-history" });
    if (moments.length > 1) {
      make(history, "span", { class: "tinytf-quiet" }, "how full over time");
      sparkline(history, moments, 1, state.capacity, "How full it has been");
    }
    if (state.stay) make(foot, "span", {}, `${state.stay} stay while it is open (min_after_dequeue)`);
    make(root, "p", { class: "tinytf-queue-now" }, queueText(state));
    if (state.why) make(root, "p", { class: "tinytf-why" }, `Closed: ${state.why}`);
  };
  model.on("change:state", draw);
  draw();
  return () => model.off("change:state", draw);
}

/** Who waits on one side. */
function waiting(row, what, texts, isOver) {
  const side = make(row, "div", { class: "tinytf-waiting", "data-side": what });
  make(side, "div", { class: "tinytf-quiet" }, texts.length ? `waits to ${what}` : isOver ? "" : `nobody waits to ${what}`);
  for (const text of texts.slice(0, 6)) make(side, "div", { class: "tinytf-waits" }, text);
  if (texts.length > 6) make(side, "div", { class: "tinytf-quiet" }, `and ${texts.length - 6} more`);
}

/** The places of a queue; what is taken next stands on the right. */
function places(row, state) {
  const list = make(row, "ol", {
    class: "tinytf-places", "data-open": state.capacity === null,
    "aria-label": state.ordered ? "Places; the last one is taken next" : "Places; any element may be taken next",
    title: state.ordered ? "The one on the right is taken next" : "Any of them may be taken next",
  });
  const free = state.capacity === null ? 0 : state.capacity - state.count;
  const room = Math.max(MOST_PLACES - state.elements.length, 0);
  if (free > room) make(list, "li", { class: "tinytf-quiet" }, `${free - room} more free`);
  for (let n = 0; n < Math.min(free, room); n++) make(list, "li", { class: "tinytf-free", "aria-label": "free" });
  const more = state.count - state.elements.length;
  if (more) make(list, "li", { class: "tinytf-quiet" }, `${more} more`);
  const next = state.ordered ? state.elements.length - 1 : -1;
  [...state.elements].reverse().forEach((element, n) => (
    make(list, "li", { class: "tinytf-element", title: element, "data-next": n === next }, element)));
  if (state.capacity === null && !state.count) make(list, "li", { class: "tinytf-quiet" }, "empty");
}

export default { render };
