// Dependency counters of a recorded step: watch it, guess the next node, or play the scheduler.

const MODES = [
  ["watch", "Watch", "Play the step as it was recorded"],
  ["guess", "Guess the next node", "Choose the node that is taken next"],
  ["schedule", "Play the scheduler", "Give ready nodes to threads yourself"],
];

/** The drawing, the queue beside it, and the line about one node. */
function makeStage(trace, root) {
  const stage = make(root, "div", { class: "tinytf-stage" });
  const left = make(stage, "div", { class: "tinytf-left" });
  const drawing = make(left, "div", { class: "tinytf-scroll" });
  drawing.innerHTML = trace.svg;
  const more = make(left, "p", { class: "tinytf-aside tinytf-more", "aria-hidden": "true" });
  const side = make(stage, "div", { class: "tinytf-side" });
  const heading = make(side, "div", { class: "tinytf-heading" }, "Ready queue");
  const queue = make(side, "ol", { class: "tinytf-queue", "aria-label": "Ready queue" });
  const detail = make(root, "p", { class: "tinytf-detail", "aria-live": "polite" });
  drawing.addEventListener("scroll", () => sayMore(drawing, more));
  const observer = new ResizeObserver(() => sayMore(drawing, more));
  observer.observe(drawing);
  const shapes = new Map();
  for (const g of drawing.querySelectorAll("[data-node]")) shapes.set(g.dataset.node, g);
  const edges = [...drawing.querySelectorAll(".tinytf-edge")];

  /** Nodes as `stateAt` gives them; `current`: the one an event is about. */
  function paint(nodes, current, fires) {
    trace.names.forEach((name, n) => {
      const g = shapes.get(name);
      if (!g) return;
      const { count, state, note } = nodes[n];
      g.dataset.count = count;
      g.dataset.state = state;
      g.dataset.current = String(name === current);
      g.querySelector(".tinytf-count").textContent = BADGES[state] ?? count;
      g.querySelector(".tinytf-note").textContent = iterationMark(note);
    });
    for (const edge of edges) {
      edge.dataset.current = String(fires && edge.dataset.source === current);
    }
    if (shapes.has(current)) follow(drawing, shapes.get(current));
  }
  function select(name) {
    for (const [key, g] of shapes) g.dataset.selected = String(key === name);
    if (shapes.has(name)) follow(drawing, shapes.get(name));
  }
  return { drawing, heading, queue, detail, shapes, paint, select, dispose: () => observer.disconnect() };
}

/** Watching: what the model's frame says. */
function watchMode({ trace, model, stage, player }) {
  let shown = null;
  return {
    enter() {},
    show() {
      const event = trace.events[player.frame()];
      const current = event.node >= 0 ? trace.names[event.node] : null;
      shown = stateAt(trace, player.frame());
      stage.paint(shown.nodes, current, event.kind === "run");
      player.update();
      stage.queue.replaceChildren();
      for (const [n, iteration] of shown.queue) {
        make(stage.queue, "li", { "data-node": trace.names[n] }, placeText(trace, n, iteration));
      }
      if (!shown.queue.length) make(stage.queue, "li", { class: "tinytf-empty" }, "empty");
    },
    describe: (name) => describe(name, shown.nodes[trace.names.indexOf(name)], trace.fed[name]),
    hint: "Point at an operation to see its value.",
    pick() {},
    key(key) {
      if (key === " ") player.toggle();
      else if (player.keys[key]) player.keys[key]();
      else return false;
      return true;
    },
  };
}

/** The nodes that can be gone through with the arrow keys. */
function chooser(names, stage, detailed) {
  let at = -1;
  return {
    name: () => names()[at],
    clear() { at = -1; stage.select(null); },
    move(step) {
      const all = names();
      if (!all.length) return;
      at = at < 0 ? (step > 0 ? 0 : all.length - 1) : (at + step + all.length) % all.length;
      stage.select(all[at]);
      detailed(all[at]);
    },
    choose(name) { at = names().indexOf(name); stage.select(name); },
  };
}

/** "Guess the next node": the recording decides. */
function guessMode({ trace, model, root, panel, stage, player, tell }) {
  const picks = picksOf(trace);
  let pick = -1; // the event to guess
  let isFirstTry = true;
  const score = { right: 0, asked: 0 };
  const bar = make(panel, "div", { class: "tinytf-controls tinytf-guess" });
  const tally = make(bar, "span", { class: "tinytf-score", "aria-live": "polite" });
  const giveUp = make(bar, "button", { type: "button", class: "tinytf-show-me" }, "Show me");
  const again = make(bar, "button", { type: "button", class: "tinytf-again" }, "Start over");
  const label = make(bar, "label");
  const easy = make(label, "input", { type: "checkbox", class: "tinytf-easy" });
  label.append(" show the ready queue");
  const choice = chooser(() => trace.names, stage, tell);

  function ask(from, said) {
    pick = picks.find((number) => number > from) ?? -1;
    isFirstTry = true;
    player.go(pick < 0 ? player.last : pick - 1);
    mode.show();
    const question = trace.threads.length > 1 ? "Which one is taken next?" : "Which one runs next?";
    const rest = pick < 0 ? `That was the last one. ${tallyText()}` : question;
    player.say(`${said} ${rest}`.trim(), said ? "right" : "ask");
  }
  const tallyText = () => `Score: ${score.right} of ${score.asked} at the first try.`;
  function restart() {
    score.right = score.asked = 0;
    choice.clear();
    ask(-1, "");
  }
  function guess(name) {
    if (pick < 0) return;
    choice.choose(name);
    if (name in trace.fed) return player.say(`${name} does not run: its value is there from the start.`, "wrong");
    const { right, why } = verdict(trace, pick, trace.names.indexOf(name));
    if (isFirstTry) score.asked += 1;
    if (isFirstTry && right) score.right += 1;
    isFirstTry = false;
    root.dataset.verdict = right ? "right" : "wrong";
    if (right) ask(pick, `✓ Right. ${why}`);
    else player.say(`✗ Not yet. ${why}`, "wrong");
    tally.textContent = tallyText();
  }
  giveUp.addEventListener("click", () => {
    if (pick < 0) return;
    if (isFirstTry) score.asked += 1;
    ask(pick, `It was ${trace.names[trace.events[pick].node]}. ${trace.events[pick].text}`);
    tally.textContent = tallyText();
  });
  again.addEventListener("click", restart);
  easy.addEventListener("change", () => mode.show());
  const mode = {
    enter: restart,
    show() {
      if (player.frame() !== (pick < 0 ? player.last : pick - 1)) {
        pick = picks.find((number) => number > player.frame()) ?? -1; // moved from elsewhere
      }
      const state = stateAt(trace, player.frame());
      // What is ready can be told from the counters: that is the question.
      const nodes = state.nodes.map((node) => (
        node.state === "ready" && !easy.checked ? { ...node, state: "waiting" } : node));
      const event = trace.events[player.frame()];
      stage.paint(nodes, event.node >= 0 ? trace.names[event.node] : null, event.kind === "run");
      root.dataset.frame = String(player.frame());
      giveUp.disabled = pick < 0;
      tally.textContent = tallyText();
      stage.queue.replaceChildren();
      const shown = easy.checked ? state.queue : [];
      for (const [n, iteration] of shown) make(stage.queue, "li", {}, placeText(trace, n, iteration));
      if (!shown.length) make(stage.queue, "li", { class: "tinytf-empty" }, easy.checked ? "empty" : "hidden");
    },
    describe(name) {
      if (name in trace.fed) return `${trace.fed[name]} (fed)`;
      const node = stateAt(trace, player.frame()).nodes[trace.names.indexOf(name)];
      const state = node.state === "ready" ? "waiting" : node.state;
      const told = describe(name, { ...node, state }, "");
      return state === "done" ? `${told}.` : `${told}. Enter or a click: guess it.`;
    },
    hint: "Click the operation that is next, or go through them with the arrow keys and press Enter.",
    pick: guess,
    key(key) {
      if (key === "ArrowRight" || key === "ArrowDown") choice.move(1);
      else if (key === "ArrowLeft" || key === "ArrowUp") choice.move(-1);
      else if ((key === "Enter" || key === " ") && choice.name()) guess(choice.name());
      else return false;
      return true;
    },
  };
  return mode;
}

function render({ model, el }) {
  const trace = model.get("trace");
  let modeName = "watch";
  let pointed = null;

  const root = make(el, "div", {
    class: "tinytf-counters", tabindex: "0", role: "group",
    "aria-label": `Dependency counters of ${plural(trace.names.length, "operation")}. ` +
      "Right arrow: step. Left arrow: step back. Space: play or pause.",
    "data-lm-suppress-shortcuts": "true", // arrow keys are for the widget, not for the notebook
  });
  make(root, "p", { class: "tinytf-aside" }, trace.remark);
  const tabs = make(root, "div", { class: "tinytf-controls tinytf-modes", role: "group", "aria-label": "What to do" });
  const head = make(root, "div");
  const player = makePlayer(model, root, head, trace);
  const panels = make(root, "div");
  const stage = makeStage(trace, root);
  const story = make(root, "details", { class: "tinytf-story" });
  make(story, "summary", {}, "What happens, step by step");
  const lines = make(story, "ol", { start: "0" });

  root.dataset.steered = trace.order;
  const tell = (name) => {
    stage.detail.textContent = name === null ? modes[modeName].hint : modes[modeName].describe(name);
  };
  const parts = { trace, model, root, stage, player, tell };
  const modes = {};
  const makers = { watch: watchMode, guess: guessMode, schedule: scheduleMode };
  const pressed = {};
  for (const [name, label, title] of MODES) {
    const panel = make(panels, "div", { class: "tinytf-panel", "data-panel": name });
    modes[name] = makers[name]({ ...parts, panel });
    pressed[name] = make(tabs, "button", { type: "button", class: `tinytf-mode-${name}`, title }, label);
    pressed[name].addEventListener("click", () => setMode(name));
  }
  // There has to be something to choose, and a drawing to choose it in.
  tabs.hidden = !trace.runs.length || !trace.svg;

  function show() {
    if (modeName !== "schedule") modes[modeName].show();
    lines.querySelector("[aria-current]")?.removeAttribute("aria-current");
    lines.children[player.frame()]?.setAttribute("aria-current", "step");
    tell(pointed);
  }
  function setMode(name) {
    player.pause();
    modeName = name;
    root.dataset.mode = name;
    delete root.dataset.verdict;
    for (const key of Object.keys(pressed)) pressed[key].setAttribute("aria-pressed", String(key === name));
    stage.select(null);
    stage.heading.textContent = name === "schedule" ? "Ready: choose one" : "Ready queue";
    modes[name].enter();
    modes[name].show();
    tell(null);
  }
  listen(root, (key) => modes[modeName].key(key));
  story.addEventListener("toggle", () => {
    if (!story.open || lines.children.length) return;
    trace.events.forEach((event, number) => {
      make(lines, "li", {}, event.text).addEventListener("click", () => {
        setMode("watch");
        player.by(number - player.frame());
      });
    });
    show();
  });
  for (const [name, g] of stage.shapes) {
    g.addEventListener("mouseenter", () => { pointed = name; tell(name); });
    g.addEventListener("mouseleave", () => { pointed = null; tell(null); });
    g.addEventListener("click", () => modes[modeName].pick(name));
  }
  model.on("change:frame", show);
  setMode("watch");
  return () => {
    player.pause();
    stage.dispose();
    model.off("change:frame", show);
  };
}

export default { render };
