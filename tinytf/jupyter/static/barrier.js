// Synchronous training as it is: a lane for each worker, time from left to right. A worker computes, its
// gradient is there, it waits; where all meet, a bar goes down through the lanes: a step is made, and the
// variables have a new version. Beside it, how the workers spend their time. Its state comes from
// tinytf/jupyter/barrier_view.py; page.js, live.js, player.js and lens_page.js stand before it.

const HEAD = 24;
const LANE = 34;
const BAR = 18;
const FOOT = 22;
const GUTTER = 78;
const GLIDE = 0.62; // of the time between two events

/** What the lanes show at a time: what workers do, and which steps have been made. */
export function stateAt(state, time) {
  const from = Math.max(time - 0.96 * state.span, -0.06 * state.span);
  const parts = [];
  const open = new Map();
  for (const stay of state.stays) {
    const began = stay.began ?? -Infinity;
    if (began > time) continue;
    open.set(stay.worker, stay.left);
    const isThere = stay.came <= time;
    parts.push({ ...stay, what: "compute", start: began, end: Math.min(stay.came, time), isThere });
    const left = Math.min(stay.left ?? Infinity, time);
    if (isThere && !stay.dropped && left > stay.came) parts.push({ ...stay, what: "wait", start: stay.came, end: left, isThere });
  }
  for (const [worker, left] of open) { // what it computes now is known when it comes
    if (left !== null && left < time) parts.push({ worker, step: null, what: "compute", start: left, end: time, isThere: false });
  }
  const steps = state.steps.filter(([, at]) => at <= time);
  const version = steps.length ? steps[steps.length - 1][0] + 1 : state.steps.length ? state.steps[0][0] : 0;
  const here = state.stays.filter(({ step, came, dropped }) => step === version && came <= time && !dropped);
  return { from, parts: parts.filter(({ end }) => end > from), steps: steps.filter(([, at]) => at >= from), version, gathered: here.length };
}

/** A name that fits before the lanes. */
const shortName = (name) => (name.length > 10 ? `…${name.slice(-9)}` : name);

/** A time in few letters. */
function clock(seconds) {
  return seconds >= 1 || seconds === 0 ? `${+seconds.toPrecision(3)} s` : `${+(seconds * 1000).toPrecision(3)} ms`;
}

/** A round length of which a few fit into the span. */
function roundTick(span) {
  const rough = span / 5;
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * [1, 2, 5, 10].find((factor) => factor * power >= rough);
}

const size = (svg, width, height) => {
  for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` })) svg.setAttribute(name, value);
  svg.replaceChildren();
};

function drawLanes(svg, state, time, width) {
  const now = stateAt(state, time);
  const lanes = new Map(state.workers.map((worker, n) => [worker, HEAD + n * LANE]));
  const bottom = HEAD + LANE * Math.max(1, lanes.size);
  size(svg, width, bottom + FOOT);
  const x = (at) => GUTTER + Math.max(0, (at - now.from) / state.span) * (width - GUTTER - 6);
  drawVersions(svg, state, now, x, bottom, x(time));
  const every = roundTick(state.span);
  for (let at = Math.max(0, Math.ceil(now.from / every)) * every; at <= time; at += every) {
    shape(svg, "line", { class: "tinytf-grid", x1: x(at), x2: x(at), y1: bottom, y2: bottom + 5 });
    shape(svg, "text", { class: "tinytf-tick", x: x(at), y: bottom + 17, "text-anchor": "middle" }, clock(at));
  }
  for (const [worker, y] of lanes) {
    shape(svg, "line", { class: "tinytf-lane", x1: GUTTER - 8, x2: width, y1: y + LANE - 0.5, y2: y + LANE - 0.5 });
    shape(svg, "text", { class: "tinytf-lane-title", x: 0, y: y + LANE / 2 + 4 }, shortName(worker));
  }
  const words = now.parts.map((part) => drawPart(svg, part, x, lanes.get(part.worker) + (LANE - BAR) / 2));
  for (const [step, at] of now.steps) {
    shape(svg, "rect", { class: "tinytf-met", x: x(at) - 2, y: 4, width: 4, height: bottom - 4, rx: 2, "data-step": step });
    for (const { worker, step: its, dropped } of state.stays) {
      if (its === step && !dropped) shape(svg, "circle", { class: "tinytf-gave", cx: x(at), cy: lanes.get(worker) + LANE / 2, r: 5, "data-worker": worker });
    }
  }
  for (const [text, places] of words) if (text) shape(svg, "text", { class: "tinytf-of", "text-anchor": "middle", ...places }, text);
  shape(svg, "line", { class: "tinytf-playhead", x1: x(time), x2: x(time), y1: 2, y2: bottom });
  return now;
}

/** Every other version is shaded, and all have their names. */
function drawVersions(svg, state, now, x, bottom, right) {
  const borders = [[now.version - now.steps.length, GUTTER], ...now.steps.map(([step, at]) => [step + 1, x(at)])];
  borders.forEach(([version, left], n) => {
    const end = borders[n + 1]?.[1] ?? right;
    if (version % 2) shape(svg, "rect", { class: "tinytf-band", x: left, y: 0, width: Math.max(0, end - left), height: bottom });
    const words = end - left > 74 ? `version ${version}` : end - left > 20 ? String(version) : "";
    if (words) shape(svg, "text", { class: "tinytf-tick", x: left + 7, y: 14 }, words);
  });
}

/** A bar; and the words in it, which are written when all bars are there. */
function drawPart(svg, part, x, y) {
  const [left, right] = [x(part.start), Math.max(x(part.end), x(part.start) + 2)];
  const isWait = part.what === "wait";
  const state = isWait ? "waiting" : part.isThere ? (part.dropped ? "dropped" : "done") : "computing";
  const g = shape(svg, "g", { class: "tinytf-stay", "data-state": state, "data-worker": part.worker });
  shape(g, "rect", { x: left + 1, y: isWait ? y + BAR / 2 - 4 : y, width: Math.max(right - left - 2, 1), height: isWait ? 8 : BAR, rx: isWait ? 3 : 4 });
  const number = isWait || right - left < 26 ? "" : String(part.step ?? "");
  return [state === "dropped" ? `✕ ${number}` : number, { x: (left + right) / 2, y: y + 13 }];
}

function drawWaits(svg, state, width, isBelow) {
  const gutter = isBelow ? GUTTER : 0; // beside the lanes, their names do for both
  const wide = Math.max(60, Math.min(0.42 * (width - gutter), 220));
  size(svg, width, HEAD + LANE * Math.max(1, state.waits.length) + FOOT);
  shape(svg, "text", { class: "tinytf-tick", x: gutter, y: 14 }, "how each spends its time");
  state.waits.forEach(({ worker, given, dropped, share }, n) => {
    const y = HEAD + n * LANE + (LANE - BAR) / 2;
    const edge = wide * (1 - share);
    if (isBelow) shape(svg, "text", { class: "tinytf-lane-title", x: 0, y: y + 13 }, shortName(worker));
    const g = shape(svg, "g", { class: "tinytf-share", "data-worker": worker, transform: `translate(${gutter} 0)` });
    shape(g, "rect", { class: "tinytf-computes", x: 0.5, y, width: Math.max(edge, 1), height: BAR, rx: 3 });
    if (share > 0.005) shape(g, "rect", { class: "tinytf-waits", x: edge + 2, y: y + BAR / 2 - 4, width: Math.max(wide - edge - 2, 1), height: 8, rx: 3 });
    shape(g, "text", { x: wide + 10, y: y + 13 }, `waits ${Math.round(100 * share)}%`);
    shape(g, "text", { class: "tinytf-tick", x: wide + 82, y: y + 13 }, `gave ${given}${dropped ? `, ✕ ${dropped}` : ""}`);
  });
}

/** "●●○ 2 of 3": how many of the gradients that a step needs are there. */
export function gatheredText(gathered, needed) {
  const there = Math.min(gathered, needed);
  const pips = needed <= 12 ? `${"●".repeat(there)}${"○".repeat(needed - there)} ` : "";
  return `${pips}${gathered} of ${needed}`;
}

/** Lets the time go on to `to`; then all is drawn at once. */
function makeGlide(show) {
  let [asked, time, goal] = [0, null, null];
  return (to, milliseconds) => {
    if (goal === to && asked) return;
    cancelAnimationFrame(asked);
    const [from, begun] = [time, performance.now()];
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches || document.visibilityState !== "visible";
    goal = to;
    const go = (moment) => {
      const share = from === null || still || milliseconds < 40 ? 1 : Math.min(Math.max(moment - begun, 0) / milliseconds, 1);
      time = share < 1 ? from + (to - from) * share * (2 - share) : to;
      asked = share < 1 ? requestAnimationFrame(go) : 0;
      show(time, share === 1);
    };
    go(begun);
  };
}

const view = {
  name: "tinytf-barrier-lens",
  legend: "A filled bar: the worker computes, with the version whose number stands in it. Thin and dashed: its gradient is there, and it waits. A bar through all lanes: a step is made, a dot for each gradient in it. Dotted with ✕: too late, and dropped.",
  events: (state) => state.events,
  build(left, right) {
    const gathered = make(left, "div", { class: "tinytf-gathered" });
    const lanes = shape(left, "svg", { class: "tinytf-lanes", role: "img" });
    const built = { left, right, gathered, lanes, waits: shape(right, "svg", { role: "img" }) };
    built.glide = makeGlide((time, isThere) => built.show(time, isThere));
    return built;
  },
  draw(state, at, built, { root, pace, text }) {
    const { left, right, lanes, gathered, waits } = built;
    const time = at ? state.events[at - 1].at : 0;
    built.show = (moment, isThere) => {
      const now = drawLanes(lanes, state, moment, Math.max(left.clientWidth, 260));
      gathered.textContent = state.workers.length ? `for step ${now.version + 1}: ${gatheredText(now.gathered, state.needed)}` : "";
      Object.assign(root.dataset, { version: now.version, gathered: now.gathered, moving: !isThere });
    };
    const isNear = Math.abs(at - (built.at ?? at)) === 1;
    const moves = isNear && state === built.state;
    built.glide(time, moves ? (GLIDE * MILLISECONDS) / pace : 0);
    Object.assign(built, { at, state });
    drawWaits(waits, state, Math.max(right.clientWidth, 200), right.offsetLeft < left.offsetLeft + 20);
    lanes.setAttribute("aria-label", text);
    waits.setAttribute("aria-label", state.waits.map(({ worker, share }) => `${worker} waits ${Math.round(100 * share)}% of its time`).join(", ") || "no gradient yet");
    return {};
  },
  speed({ history = [], ended, tokens, waits }) {
    if (ended || !waits.length) return "";
    const speed = history.length > 1 ? `${brief(rate(history, 2))} steps a second lately. ` : "";
    return `${speed}${plural(tokens, "token")} ${tokens === 1 ? "waits" : "wait"} in the queue.`;
  },
};

export default { render: (context) => renderLens(context, view) };
