// The lanes of a recorded step: a row for the ready queue, for each thread and for each stream, with
// a bar for each run of an operation. All places are shares of the width, so that the lanes are as
// wide as the page; pools.js plays them.

export const AXES = { events: "in order", time: "by time" };
const MOST_WAITING = 8; // bars below each other in the queue
const COLUMN = 30; // px: no event has less
const TEXT = 24; // px: a shorter bar has no text
const LEGEND = { queued: "waits in the queue", running: "has a thread", over: "is over", waiting: "waits in its kernel, without a thread" };

/** Where things are on an axis, from 0 to 1: `at(n)` an event, `ends(id)` a run when it is ready, taken, lets go of its thread, and ends. */
export function placesOn(trace, axis) {
  const last = Math.max(trace.events.length - 1, 1);
  const total = Math.max(trace.events[trace.events.length - 1].time, 1);
  const share = (time) => Math.min(time, total) / total;
  if (axis === "time") {
    return {
      total,
      at: (n) => share(trace.events[n].time),
      ends(id) {
        const run = trace.runs[id];
        const ended = run.ended < 0 ? total : run.ended;
        const held = run.blocked ? trace.events[trace.spans[id][2]].time : ended;
        return [run.ready, run.taken, held, ended].map(share);
      },
    };
  }
  return {
    total,
    at: (n) => n / last,
    ends(id) {
      const [ready, taken, held, ended] = trace.spans[id];
      // On one thread, taking is no event of its own: an operation has the column in which it ends.
      return [ready, taken === held ? Math.max(held - 1, ready) : taken, held, ended].map((n) => n / last);
    },
  };
}

/** Bars [begin, end, id] in rows in which none covers another, and how many find no room at the worst time. */
export function stacked(bars) {
  const rows = [];
  const left = [];
  for (const bar of [...bars].sort((a, b) => a[0] - b[0] || a[1] - b[1])) {
    const row = rows.find((each) => each[each.length - 1][1] <= bar[0] + 1e-9);
    if (row) row.push(bar);
    else if (rows.length < MOST_WAITING) rows.push([bar]);
    else left.push(bar);
  }
  const worst = Math.max(0, ...left.map(([begin]) => left.filter(([a, b]) => a <= begin && begin < b).length));
  return { rows, worst };
}

/** Ticks of the ruler: [share, text], with about `room` of them. */
function ticksOf(trace, axis, places, room) {
  const nice = (step) => {
    const power = 10 ** Math.floor(Math.log10(Math.max(step, 1)));
    return power * [1, 2, 5, 10].find((factor) => factor * power >= step);
  };
  const most = axis === "time" ? places.total : trace.events.length - 1;
  const step = nice(most / Math.max(room, 1));
  const marks = Array.from({ length: Math.floor(most / step) + 1 }, (_, n) => n * step);
  return marks.map((value) => [most ? value / most : 0, axis === "time" ? (value ? timeText(value) : "0") : String(value)]);
}

/** A name where there is little room: without its scopes, which many have in common. */
const inShort = (name) => (name.length > 12 ? name.slice(name.lastIndexOf("/") + 1) || name : name);

const percent = (share) => `${(100 * share).toFixed(3)}%`;

/** The lanes inside `parent`; `told(id)` on pointing, `chosen(id)` on clicking, `jumped(n)` to an event. */
function makeLanes(trace, parent, { told, chosen, jumped }) {
  const scroll = make(parent, "div", { class: "tinytf-lane-scroll", role: "group", "aria-label": "Lanes" });
  const board = make(scroll, "div", { class: "tinytf-board", role: "img" });
  const ruler = make(make(board, "div", { class: "tinytf-row tinytf-ruler" }), "span", { class: "tinytf-lane-label" }).parentElement;
  const ticks = make(ruler, "div", { class: "tinytf-lane" });
  const rows = make(board, "div");
  const over = make(board, "div", { class: "tinytf-over" });
  const lines = make(over, "div");
  const cursor = make(over, "div", { class: "tinytf-cursor" });
  const more = make(parent, "p", { class: "tinytf-aside tinytf-more", "aria-hidden": "true" });
  let axis = "events";
  let places = placesOn(trace, axis);
  let bars = []; // [element, id, kind, begin, end]

  function row(label, kind) {
    const element = make(rows, "div", { class: "tinytf-row", "data-lane": kind });
    make(element, "span", { class: kind === "title" ? "tinytf-lane-label tinytf-lane-title" : "tinytf-lane-label" }, label);
    return make(element, "div", { class: "tinytf-lane" });
  }
  function bar(track, id, kind, begin, end, text, line = 0) {
    const run = trace.runs[id];
    const name = placeText(trace, run.node, run.iteration);
    const element = make(track, "span", {
      class: `tinytf-run tinytf-${kind}`, "data-run": id, "data-name": name, "data-kind": run.kind || "open", title: text,
      style: `left:${percent(begin)};width:${percent(Math.max(end - begin, 0))};--line:${line}`,
    });
    make(element, "span", {}, kind === "shards" ? "" : inShort(name));
    bars.push([element, id, kind, begin, end]);
  }
  function waiting(label, kind, items, text) {
    const { rows: lanes, worst } = stacked(items);
    const track = row(label, kind);
    track.style.setProperty("--lines", Math.max(lanes.length, 1));
    lanes.forEach((lane, line) => {
      for (const [begin, end, id] of lane) bar(track, id, kind, begin, end, `${placeText(trace, trace.runs[id].node, trace.runs[id].iteration)} ${text}`, line);
    });
    if (worst) make(row("", kind), "span", { class: "tinytf-note" }, `and up to ${worst} more at a time`);
  }
  function shards(track, id, lane, kind) {
    const run = trace.runs[id];
    const [, taken, held] = places.ends(id);
    const scale = (held - taken) / Math.max(run.ended - run.taken, 1);
    for (const [, start, end] of run.shards.filter(([its]) => its === lane).slice(0, 400)) {
      const begin = taken + (start - run.taken) * scale;
      bar(track, id, kind, begin, begin + (end - start) * scale, `a shard of ${trace.names[run.node]}`);
    }
  }
  function draw() {
    rows.replaceChildren();
    bars = [];
    const all = trace.runs.map((run, id) => [id, ...places.ends(id)]);
    waiting("ready queue", "wait", all.map(([id, ready, taken]) => [ready, taken, id]).filter(([ready, taken]) => taken > ready), "waits in the ready queue");
    const blocked = all.filter(([id]) => trace.runs[id].blocked);
    if (blocked.length) waiting("waiting kernels", "kernel", blocked.map(([id, , , held, ended]) => [held, ended, id]), "waits in its kernel");
    for (const { label, title, runs, intraOp, note } of trace.rows) {
      const track = row(label, title ? "title" : intraOp < 0 ? "thread" : "intra");
      if (note) make(track, "span", { class: "tinytf-note" }, note);
      for (const id of runs) {
        if (intraOp >= 0) {
          shards(track, id, intraOp, "shard");
          continue;
        }
        const [, taken, held] = places.ends(id);
        bar(track, id, "bar", taken, held, placeText(trace, trace.runs[id].node, trace.runs[id].iteration));
        shards(track, id, -1, "shards");
      }
    }
    for (const [element, id] of bars) {
      element.addEventListener("mouseenter", () => told(id));
      element.addEventListener("mouseleave", () => told(-1));
      element.addEventListener("click", (event) => { event.stopPropagation(); chosen(id); });
    }
    fit();
  }
  /** What depends on the width: ticks, and whether a bar has room for its name. */
  function fit() {
    const width = ticks.clientWidth;
    if (!width) return;
    ticks.replaceChildren();
    lines.replaceChildren();
    ruler.firstChild.textContent = axis === "time" ? "time" : "event";
    for (const [share, text] of ticksOf(trace, axis, places, width / (axis === "time" ? 90 : 34))) {
      make(ticks, "span", { style: `left:${percent(share)}` }, text);
      make(lines, "i", { style: `left:${percent(share)}` });
    }
    for (const [element, , , begin, end] of bars) element.toggleAttribute("data-short", (end - begin) * width < TEXT);
    const isWide = scroll.scrollWidth > scroll.clientWidth + 2 || scroll.scrollHeight > scroll.clientHeight + 2;
    if (isWide) scroll.tabIndex = 0;
    else scroll.removeAttribute("tabindex");
    sayMore(scroll, more);
  }
  function jump(event) {
    const box = ticks.getBoundingClientRect();
    const share = (event.clientX - box.left) / box.width;
    if (share < -0.01) return; // on a label
    const distances = trace.events.map((_, n) => Math.abs(places.at(n) - share));
    jumped(distances.indexOf(Math.min(...distances)));
  }
  board.addEventListener("click", jump);
  scroll.addEventListener("scroll", () => sayMore(scroll, more));
  const observer = new ResizeObserver(fit);
  observer.observe(scroll);

  return {
    setAxis(chosenAxis) {
      axis = chosenAxis;
      places = placesOn(trace, axis);
      board.dataset.axis = axis;
      // By time, too, there has to be room for many operations.
      board.style.setProperty("--room", `${Math.min(12000, axis === "time" ? 8 * trace.runs.length : COLUMN * (trace.events.length - 1))}px`);
      draw();
    },
    /** Show how far the step has come after event `frame`; `text`: what a screen reader says. */
    show(frame, text, isStep) {
      board.setAttribute("aria-label", text);
      const now = places.at(frame);
      const current = trace.events[frame].run;
      for (const [element, id, kind, begin, end] of bars) {
        const phase = phaseAt(trace.spans[id], frame);
        const ahead = ORDER.indexOf(phase) - ORDER.indexOf(PHASES[kind]);
        const when = ahead < 0 ? "future" : ahead === 0 ? "now" : "over";
        if (isStep && when === "now" && element.dataset.when === "future" && kind === "bar") fall(element, id);
        Object.assign(element.dataset, { when, phase });
        element.dataset.current = String(id === current && kind === "bar");
        const done = when === "over" ? 1 : when === "future" ? 0 : end > begin ? (now - begin) / (end - begin) : 1;
        element.style.setProperty("--done", percent(Math.min(Math.max(done, 0), 1)));
      }
      cursor.style.left = percent(now);
      const x = over.offsetLeft + now * over.clientWidth;
      const left = scroll.scrollLeft + over.offsetLeft + 12;
      if (x < left || x > scroll.scrollLeft + scroll.clientWidth - 30) scroll.scrollLeft = Math.max(0, x - scroll.clientWidth / 2);
    },
    select(id) {
      for (const [element, its, kind] of bars) element.toggleAttribute("data-selected", its === id && kind !== "shards");
      const shape = bars.find(([, its, kind]) => its === id && kind === "bar");
      if (shape && !scroll.matches(":hover")) follow(scroll, shape[0]);
    },
    /** Which colours there are: [kind, words]. */
    legend: () => Object.entries(LEGEND).filter(([kind]) => kind !== "waiting" || trace.runs.some((run) => run.blocked)),
    dispose: () => observer.disconnect(),
  };

  /** What is taken comes down from the queue. */
  function fall(element, id) {
    const from = bars.find(([, its, kind]) => its === id && kind === "wait")?.[0];
    if (!from || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    const [a, b] = [from.getBoundingClientRect(), element.getBoundingClientRect()];
    element.animate([{ transform: `translate(${Math.round(a.left - b.left)}px, ${Math.round(a.top - b.top)}px)`, opacity: 0.6 }, { transform: "none", opacity: 1 }], { duration: 320, easing: "ease-in-out" });
  }
}
