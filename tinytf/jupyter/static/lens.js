// Asynchronous training as it is: a lane for each worker, the versions of the variables from left to
// right, and each gradient from the version it was computed with to the one that it changed; beside
// it, how many had which age. Its state comes from tinytf/jupyter/lens_view.py; page.js, live.js,
// player.js and lens_page.js stand before it.

const LANE = 34; // at least; few lanes are as high as the ages beside them
const LANES = 128;
const BAR = 18;
const SPAN = 26; // versions that are shown at once, at most
const GUTTER = 78;

/** How many versions are shown at once. */
const spanOf = ({ gradients }) => Math.min(SPAN, Math.max(10, ...gradients.map(({ now }) => now + 3)));

/** What the lanes show when `at` gradients of the state have come: bars, from version to version. */
export function barsAt(state, at) {
  const done = state.gradients.slice(0, at);
  const version = done.reduce((most, { now, dropped }) => Math.max(most, dropped ? now : now + 1), 0);
  const from = Math.max(0, version - spanOf(state) + 2);
  const bars = [];
  state.gradients.forEach((gradient, n) => {
    const isDone = n < at;
    if (isDone ? gradient.now < from : gradient.read > version || bars.some((bar) => bar.worker === gradient.worker && !bar.isDone)) return;
    const to = isDone ? gradient.now : version;
    bars.push({ n, worker: gradient.worker, from: Math.max(gradient.read, from - 0.5), to, isDone, age: gradient.now - gradient.read, dropped: isDone && gradient.dropped });
  });
  return { version, from, bars };
}

function drawLanes(svg, state, at, width) {
  const { version, from, bars } = barsAt(state, at);
  const lanes = new Map(state.workers.map((worker, n) => [worker, n]));
  const lane = Math.max(LANE, LANES / Math.max(2, lanes.size));
  const height = lane * Math.max(1, lanes.size) + 26;
  const span = spanOf(state);
  const x = (v) => GUTTER + ((v - from + 0.5) / span) * (width - GUTTER - 10);
  svg.replaceChildren();
  for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` })) svg.setAttribute(name, value);
  const every = width < 520 ? 10 : 5;
  for (let v = from; v < from + span; v++) {
    if (v % every) continue;
    shape(svg, "line", { class: "tinytf-grid", x1: x(v), x2: x(v), y1: 0, y2: height - 20 });
    shape(svg, "text", { class: "tinytf-tick", x: x(v), y: height - 5, "text-anchor": "middle" }, String(v));
  }
  shape(svg, "text", { class: "tinytf-tick", x: 0, y: height - 5 }, "version");
  for (const [worker, row] of lanes) {
    shape(svg, "line", { class: "tinytf-lane", x1: GUTTER - 8, x2: width, y1: (row + 1) * lane - 1, y2: (row + 1) * lane - 1 });
    shape(svg, "text", { class: "tinytf-lane-title", x: 0, y: row * lane + lane / 2 + 4 }, `worker ${worker}`);
  }
  for (const bar of bars) {
    const y = lanes.get(bar.worker) * lane + (lane - BAR) / 2 - 1;
    const [left, right] = [x(bar.from) - 5, Math.max(x(bar.to), x(bar.from)) + 5];
    const g = shape(svg, "g", { class: "tinytf-gradient", "data-state": bar.dropped ? "dropped" : bar.isDone ? "done" : "computing", "data-age": bar.age, "data-last": bar.n === at - 1 });
    shape(g, "rect", { x: left, y, width: right - left, height: BAR, rx: 5 });
    const word = bar.dropped ? "✕" : bar.isDone && bar.age ? String(bar.age) : "";
    if (word) shape(g, "text", { x: (left + right) / 2, y: y + 13, "text-anchor": "middle" }, word);
  }
  shape(svg, "line", { class: "tinytf-version", x1: x(version), x2: x(version), y1: 0, y2: height - 20 });
  return version;
}

function drawAges(svg, state, width) {
  const counts = new Map(state.histogram);
  const others = Math.max(state.workers.length - 1, 0);
  const most = Math.max(1, ...counts.values());
  const last = Math.max(others, state.mean ?? 0, ...counts.keys(), 1);
  const height = 132;
  const [top, bottom] = [22, height - 22];
  const step = width / (last + 1);
  const x = (age) => step * (age + 0.5);
  svg.replaceChildren();
  for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` })) svg.setAttribute(name, value);
  shape(svg, "line", { class: "tinytf-expected", x1: x(others), x2: x(others), y1: 6, y2: bottom });
  for (let age = 0; age <= last; age++) {
    const count = counts.get(age) ?? 0;
    const tall = ((bottom - top) * count) / most;
    const wide = Math.min(step * 0.72, 46);
    if (count) shape(svg, "rect", { class: "tinytf-age", x: x(age) - wide / 2, y: bottom - tall, width: wide, height: tall, rx: 3 });
    if (count && step > 22) shape(svg, "text", { class: "tinytf-tick", x: x(age), y: bottom - tall - 4, "text-anchor": "middle" }, String(count));
    if (step > 16 || age % 5 === 0) shape(svg, "text", { class: "tinytf-tick", x: x(age), y: height - 6, "text-anchor": "middle" }, String(age));
  }
  shape(svg, "line", { class: "tinytf-lane", x1: 0, x2: width, y1: bottom, y2: bottom });
  if (state.mean !== null) shape(svg, "path", { class: "tinytf-mean", d: `M${x(state.mean)} ${bottom + 1}l5 8h-10z` });
}

const view = {
  name: "tinytf-staleness-lens",
  legend: "A bar goes from the version that a worker read to the one that its gradient changed; the number is what came between.",
  events: (state) => state.gradients.map(({ text, dropped }) => ({ text, kind: dropped ? "wrong" : "" })),
  build(left, right) {
    const lanes = shape(left, "svg", { class: "tinytf-lanes", role: "img" });
    make(right, "div", { class: "tinytf-quiet tinytf-caption" }, "how many gradients were so many updates old");
    const ages = shape(right, "svg", { role: "img" });
    return { left, right, lanes, ages, key: make(right, "div", { class: "tinytf-quiet tinytf-key" }) };
  },
  draw(state, at, { left, right, lanes, ages, key }, { text }) {
    const version = drawLanes(lanes, state, at, Math.max(left.clientWidth, 260));
    drawAges(ages, state, Math.max(right.clientWidth, 200));
    const others = Math.max(state.workers.length - 1, 0);
    key.textContent = `┆ N − 1 = ${others}${state.mean === null ? "" : `    ▲ mean ${state.mean}`}${state.dropped ? `    ${state.dropped} dropped` : ""}`;
    lanes.setAttribute("aria-label", `Version ${version}. ${text}`);
    ages.setAttribute("aria-label", state.histogram.map(([age, count]) => `${count} were ${age} old`).join(", ") || "no gradient yet");
    return { version };
  },
  speed: ({ history = [], ended }) => (history.length > 1 && !ended ? `${brief(rate(history, 1))} gradients a second lately.` : ""),
};

export default { render: (context) => renderLens(context, view) };
