// A cluster as it is, and as it was: the drawing comes from tinytf/jupyter/cluster_picture.py, what
// happened from cluster_history.py. Here a task is chosen, killed or started again, and what
// happened is played. page.js, player.js and live.js stand before it.

const NARROW = 640; // px: below it, the narrow drawing
const SMALLEST_SCALE = 0.72;

function render({ model, el }) {
  const root = make(el, "div", {
    class: "tinytf-view tinytf-live tinytf-live-cluster", tabindex: "0", role: "group", "data-lm-suppress-shortcuts": "true",
  });
  const head = make(root, "div", { class: "tinytf-live-head" });
  const title = make(head, "p", { class: "tinytf-title" });
  const sign = make(head, "span", { class: "tinytf-sign" });
  const both = make(root, "div", { class: "tinytf-cluster-both" });
  const left = make(both, "div");
  const right = make(both, "div");
  const stage = make(left, "div", { class: "tinytf-cluster-stage" });
  const drawing = make(stage, "div");
  const acts = make(stage, "div", { class: "tinytf-task-acts", role: "group" });
  const trace = { events: model.get("frames") };
  const player = makePlayer(model, root, make(left, "div"), trace);
  const failed = make(left, "p", { class: "tinytf-failed", role: "alert" });
  const told = make(right, "div", { class: "tinytf-told", "aria-live": "polite" });
  const sessions = make(right, "p", { class: "tinytf-aside tinytf-sessions" });
  let pointed = "";
  let asked = ""; // the task that something was asked of
  let drawn = ""; // which drawing is there
  const step = model.get("step");
  const times = step.runs ? timesOf(step) : {};
  const clock = joinClock(step.clock, {
    onTime(time) { // what has left, and is not there yet
      const under = new Set(step.moved.filter(([, from, to]) => times[from]?.[1] <= time && time < times[to]?.[1]).map(([way]) => way));
      for (const edge of drawing.querySelectorAll(".tinytf-edge")) {
        edge.toggleAttribute("data-sent", under.has(`${edge.dataset.source} ${edge.dataset.target}`));
      }
    },
    onSelect(name) { pointed = step.nodes[name]?.[1] ?? ""; tell(); },
  });
  const isLast = () => player.frame() >= trace.events.length - 1;

  function draw() {
    const state = model.get("state");
    title.textContent = state.headline;
    const which = (stage.clientWidth || NARROW) < NARROW ? state.narrow : state.svg;
    if (which !== drawn) {
      drawn = which;
      drawing.innerHTML = which;
      for (const g of drawing.querySelectorAll("[data-node]")) {
        g.addEventListener("mouseenter", () => { pointed = g.dataset.node; tell(); });
        g.addEventListener("mouseleave", () => { pointed = ""; tell(); });
        g.addEventListener("click", () => select(g.dataset.node));
      }
    }
    const svg = drawing.querySelector("svg");
    const { width, height } = svg.viewBox.baseVal;
    const scale = Math.max(SMALLEST_SCALE, Math.min(1, (stage.clientWidth || width) / width));
    svg.setAttribute("width", width * scale);
    svg.setAttribute("height", height * scale);
    sessions.replaceChildren();
    for (const text of state.sessions) make(sessions, "div", {}, text);
    show();
  }

  /** The drawing after the event that is shown. */
  function show() {
    const state = model.get("state");
    const frame = trace.events[player.frame()];
    player.controls.hidden = trace.events.length < 2;
    player.update();
    const [mark, word] = !isLast() ? ["◀", "replay"] : state.ended ? ["■", "stopped"] : ["●", "live"];
    sign.textContent = `${mark} ${word}`;
    sign.dataset.sign = word;
    root.setAttribute("aria-label", `${state.headline} ${frame.text} Left and right arrow: what happened. Up and down arrow: a task.`);
    for (const g of drawing.querySelectorAll("[data-node]")) {
      const [words, holds, master, now] = frame.tasks[g.dataset.node] ?? ["", "", "", ""];
      g.dataset.task = now;
      const lines = g.querySelectorAll("text");
      [[1, words], [3, holds], [4, master]].forEach(([at, text]) => { lines[at].textContent = text.length > 28 ? `${text.slice(0, 27)}…` : text; });
    }
    for (const edge of drawing.querySelectorAll(".tinytf-edge")) {
      const way = `${edge.dataset.source} ${edge.dataset.target}`;
      edge.toggleAttribute("data-later", !(way in frame.edges));
      edge.toggleAttribute("data-sent", frame.sent.includes(way));
    }
    for (const text of drawing.querySelectorAll(".tinytf-bytes")) {
      const way = `${text.dataset.from} ${text.dataset.to}`;
      text.toggleAttribute("data-later", !(way in frame.edges));
      text.textContent = frame.edges[way] ?? "";
    }
    tell();
  }

  function select(name) {
    model.set("selected", name);
    model.save_changes();
  }

  function tell() {
    const { facts, steers } = model.get("state");
    const name = pointed || model.get("selected");
    root.dataset.selected = model.get("selected");
    for (const g of drawing.querySelectorAll("[data-node]")) g.toggleAttribute("data-lit", g.dataset.node === name);
    for (const e of drawing.querySelectorAll(".tinytf-edge")) {
      e.toggleAttribute("data-lit", [e.dataset.source, e.dataset.target].includes(name));
    }
    offer();
    told.replaceChildren();
    if (!facts[name]) {
      make(told, "p", { class: "tinytf-aside" }, `Choose a task, with the mouse or the arrow keys: what it holds, sends and receives${steers ? "; there it can be killed and started again" : ""}.`);
      return;
    }
    make(told, "p", { class: "tinytf-title" }, isLast() ? name : `${name}, as it is now`);
    const table = make(told, "table", { class: "tinytf-facts" });
    for (const [what, lines] of facts[name]) {
      const row = make(table, "tr");
      make(row, "th", {}, what);
      make(row, "td", {}, lines.join("\n"));
    }
  }

  /** The buttons at the chosen task: nothing is killed by pointing, nor by choosing. */
  function offer() {
    const name = model.get("selected");
    const g = [...drawing.querySelectorAll("[data-node]")].find((each) => each.dataset.node === name);
    const key = g && isLast() && model.get("state").steers ? `${name} ${g.dataset.task} ${asked}` : "";
    acts.hidden = !key;
    if (!key) { acts.dataset.key = ""; return; }
    const [box, area] = [g.querySelector(".tinytf-shape").getBoundingClientRect(), stage.getBoundingClientRect()];
    Object.assign(acts.style, { left: `${box.left - area.left + stage.scrollLeft}px`, top: `${box.bottom - area.top + 4}px`, width: `${box.width}px` });
    if (acts.dataset.key === key) return; // a button that has the keyboard keeps it
    acts.dataset.key = key;
    acts.setAttribute("aria-label", name);
    acts.replaceChildren();
    if (g.dataset.task !== "ended") act("kill", "✕ Kill", name);
    act("restart", "↻ Restart", name);
  }
  function act(what, text, name) {
    const button = make(acts, "button", { class: "tinytf-button", type: "button", "data-do": what, "aria-label": `${text.slice(2)} ${name}` }, asked === name ? "…" : text);
    button.disabled = asked === name;
    button.addEventListener("click", () => {
      asked = name;
      failed.textContent = "";
      model.send({ do: what, task: name });
      offer();
      root.focus();
    });
  }
  function heard(message) {
    if (message.ready) {
      clearInterval(calling);
      root.dataset.ready = "true";
    }
    if (message.failed) failed.textContent = message.failed;
    if (message.done) asked = "";
    offer();
  }

  const steps = { ArrowDown: 1, ArrowUp: -1 };
  listen(root, (key) => {
    if (key === "Escape") select("");
    else if (key === " ") player.toggle();
    else if (player.keys[key]) player.keys[key]();
    else if (key in steps) {
      pointed = "";
      const names = Object.keys(model.get("state").facts);
      const now = names.indexOf(model.get("selected"));
      const next = now < 0 ? (steps[key] > 0 ? 0 : names.length - 1) : now + steps[key];
      select(names[(next + names.length) % names.length] ?? "");
    } else return false;
    return true;
  });
  function grow() {
    trace.events = model.get("frames");
    player.grow();
    show();
  }
  const on = { "change:state": draw, "change:frames": grow, "change:frame": show, "change:selected": tell, "msg:custom": heard };
  for (const [event, act_] of Object.entries(on)) model.on(event, act_);
  const observer = new ResizeObserver(draw);
  observer.observe(root);
  draw();
  // JupyterLab passes on clicks while a cell runs only after one that the kernel has heard beside its
  // main thread: so call until it says that it has.
  let calls = 0;
  const call = () => { if (calls++ < 15) model.send({ do: "hello" }); else clearInterval(calling); };
  const calling = setInterval(call, 700);
  return () => {
    player.pause();
    clearInterval(calling);
    observer.disconnect();
    clock.leave();
    for (const [event, act_] of Object.entries(on)) model.off(event, act_);
  };
}

export default { render };
