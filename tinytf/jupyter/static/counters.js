// Dependency counters of a recorded step: watch it, guess the next node, or play the scheduler. The
// picture is in counters_stage.js, what moves in motion.js.

const MODES = [
  ["watch", "Watch", "Play the step as it was recorded"],
  ["guess", "Guess the next node", "Choose the node that is taken next"],
  ["schedule", "Play the scheduler", "Give ready nodes to threads yourself"],
];

/** The queue, as far as there is room: [text, node, iteration] of each. */
function showQueue(trace, stage, places, empty) {
  stage.queue.replaceChildren();
  for (const [n, iteration] of places.slice(0, MOST_QUEUED)) {
    const text = ending(trace.names[n], 34) + (iteration ? ` (${iterationText(iteration)})` : "");
    make(stage.queue, "li", { "data-node": trace.names[n], "data-iteration": iteration, title: trace.names[n] }, text);
  }
  const more = places.length - MOST_QUEUED;
  if (more > 0) make(stage.queue, "li", { class: "tinytf-rest" }, `and ${more} more`);
  if (!places.length) make(stage.queue, "li", { class: "tinytf-empty" }, empty);
}

/** Watching: what the model's frame says, in motion where it goes on by one event. */
function watchMode({ trace, root, stage, player, clock, tell }) {
  let shown = { frame: -1, state: null };
  let selected = null;
  const choose = chooser(() => stage.visible(), stage, tell);

  function showValues(frame) {
    stage.values.replaceChildren();
    const computed = [];
    for (let at = frame; at > 0 && computed.length < MOST_VALUES; at--) computed.push(...trace.events[at].values.map((text) => [text, at]));
    for (const [text, at] of computed.slice(0, MOST_VALUES)) {
      const [name, value] = [text.slice(0, text.indexOf(" = ")), text.slice(text.indexOf(" = ") + 3)];
      make(stage.values, "dt", { "data-current": String(at === frame), title: name }, ending(name, 24));
      make(stage.values, "dd", { title: value }, value);
    }
    if (!computed.length) {
      make(stage.values, "dt", { class: "tinytf-empty" }, "nothing");
      make(stage.values, "dd", {}, "has been computed yet");
    }
  }
  /** All of it, as it is after the event. */
  function settle(frame, state, event, current, isMoving) {
    const before = new Set([...stage.queue.querySelectorAll("[data-node]")].map((li) => `${li.dataset.node} ${li.dataset.iteration}`));
    const changed = stage.paint(state.nodes, current, event.kind === "run") ?? [];
    showQueue(trace, stage, state.queue, "empty");
    root.dataset.moving = "false";
    if (!isMoving) return;
    const joined = [...stage.queue.querySelectorAll("[data-node]")].filter((li) => !before.has(`${li.dataset.node} ${li.dataset.iteration}`));
    stage.motion.slide(joined.map((li) => [li, stage.boxOf(li.dataset.node)]).filter(([, g]) => g), player.pace());
    changed.forEach((g) => stage.motion.flip(g, player.pace()));
  }
  const mode = {
    enter() { shown = { frame: -1, state: null }; },
    show() {
      stage.motion.stop();
      const frame = player.frame();
      const event = trace.events[frame];
      const current = event.node >= 0 ? trace.names[event.node] : null;
      const last = shown;
      shown = { frame, state: stateAt(trace, frame) };
      player.update();
      clock.time(event.time);
      showValues(frame);
      if (current) stage.follow(current);
      const { state } = shown;
      const isMoving = last.state && frame === last.frame + 1 && current && stage.motion.isOn(player.pace());
      if (!isMoving) return settle(frame, state, event, current, false);
      // First what has ended; its tensors travel; then what they change where they arrive.
      const nodes = last.state.nodes.map((node, n) => (n === event.node ? state.nodes[n] : node));
      root.dataset.moving = "true";
      stage.paint(nodes, current, event.kind === "run");
      showQueue(trace, stage, last.state.queue.filter(([n, i]) => n !== event.node || i !== event.iteration), "empty");
      return stage.motion.travel(stage.tokens(event), player.pace(), () => settle(frame, state, event, current, true));
    },
    describe: (name) => stage.describe(name) || describe(name, shown.state.nodes[trace.names.indexOf(name)], trace.fed[name]),
    get hint() {
      if (!stage.isDrawn) return "";
      return selected ? mode.describe(selected) : "Point at an operation, or go to it with the arrow keys up and down, to see its value.";
    },
    pick(name, isTold = true) {
      selected = name;
      choose.choose(name);
      if (isTold && name !== null) clock.select(name);
      tell(null);
    },
    key(key) {
      if (key === " ") player.toggle();
      else if (player.keys[key]) player.keys[key]();
      else if (key === "ArrowDown" || key === "ArrowUp") {
        choose.move(key === "ArrowDown" ? 1 : -1);
        if (choose.name()) mode.pick(choose.name());
      } else return false;
      return true;
    },
  };
  return mode;
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
  const choice = chooser(stage.visible, stage, tell);

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
    if (pick < 0 || name === null || !trace.names.includes(name) && !(name in trace.fed)) return;
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
      showQueue(trace, stage, easy.checked ? state.queue : [], easy.checked ? "empty" : "hidden");
    },
    describe(name) {
      if (name in trace.fed) return `${trace.fed[name]} (fed)`;
      if (stage.describe(name)) return stage.describe(name);
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
    class: "tinytf-view tinytf-counters", tabindex: "0", role: "group",
    "aria-label": `Dependency counters of ${plural(trace.names.length, "operation")}. ` +
      "Right arrow: step. Left arrow: step back. Space: play or pause. Up and down arrow: from operation to operation. Slash: search.",
    "data-lm-suppress-shortcuts": "true", // arrow keys are for the widget, not for the notebook
  });
  const stage = makeCountersStage(trace, root, {
    picked: (name) => modes[modeName].pick(name),
    pointed(name) {
      pointed = name;
      tell(name);
    },
    opened: () => tell(pointed),
  });
  const tabs = make(stage.bar, "div", { class: "tinytf-modes", role: "group", "aria-label": "What to do" });
  stage.bar.prepend(tabs);
  const player = makePlayer(model, root, make(root, "div", { class: "tinytf-told" }), trace);
  const panels = make(root, "div");
  const detail = make(root, "p", { class: "tinytf-detail", "aria-live": "polite" });
  make(root, "p", { class: "tinytf-aside" }, trace.remark);
  const story = make(root, "details", { class: "tinytf-story" });
  make(story, "summary", {}, "What happens, step by step");
  const lines = make(story, "ol", { start: "0" });

  root.dataset.steered = trace.order;
  root.dataset.moving = "false";
  root.dataset.allDrawn = String(stage.isDrawn);
  const tell = (name) => {
    detail.textContent = name === null ? modes[modeName].hint : modes[modeName].describe(name);
  };
  const clock = joinClock(trace.clock, {
    onTime(time) {
      const at = trace.events.findLastIndex((event) => event.time <= time);
      if (modeName === "watch" && at >= 0 && at !== player.frame()) player.by(at - player.frame());
    },
    onSelect: (name) => modeName === "watch" && modes.watch.pick(trace.names.includes(name) ? name : null, false),
  });
  const parts = { trace, model, root, stage, player, tell, clock };
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
  tabs.hidden = !trace.runs.length || !stage.isDrawn;

  function show() {
    if (modeName !== "schedule") modes[modeName].show();
    lines.querySelector("[aria-current]")?.removeAttribute("aria-current");
    lines.children[player.frame()]?.setAttribute("aria-current", "step");
    tell(pointed);
  }
  function setMode(name) {
    player.pause();
    stage.motion.stop();
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
  listen(root, (key) => {
    if (modes[modeName].key(key)) return true;
    if (!stage.key(key)) return false;
    tell(pointed);
    return true;
  });
  story.addEventListener("toggle", () => {
    if (!story.open || lines.children.length) return;
    trace.events.forEach((event, number) => {
      const line = make(make(lines, "li"), "button", { type: "button" }, event.text);
      line.addEventListener("click", () => {
        setMode("watch");
        player.by(number - player.frame());
      });
    });
    show();
  });
  model.on("change:frame", show);
  stage.start();
  setMode("watch");
  return () => {
    player.pause();
    stage.dispose();
    clock.leave();
    model.off("change:frame", show);
  };
}

export default { render };
