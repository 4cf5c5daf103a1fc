// Play the scheduler: what the learner sees and does; the rules are in schedule.js.

const MOST_THREADS = 4;

/** Give ready nodes to free threads; at the end, how good the schedule is. */
function scheduleMode({ trace, root, panel, stage, player, tell }) {
  let schedule = null;
  let lane = -1; // the one that gets the next node; -1: the first that is free
  const bar = make(panel, "div", { class: "tinytf-controls" });
  const threadsLabel = make(bar, "label", {}, "Threads ");
  const threads = make(threadsLabel, "select", { class: "tinytf-threads" });
  for (let n = 1; n <= MOST_THREADS; n++) make(threads, "option", { value: n }, String(n));
  threads.value = String(Math.min(Math.max(trace.threads.length, 2), MOST_THREADS));
  const label = make(bar, "label");
  const equal = make(label, "input", { type: "checkbox", class: "tinytf-equal" });
  label.append(" all take equally long");
  const wait = make(bar, "button", { type: "button", class: "tinytf-wait", title: "Until something ends (W)" }, "Let time go on");
  const again = make(bar, "button", { type: "button", class: "tinytf-again" }, "Start over");
  const gantt = make(panel, "div", { class: "tinytf-gantt" });
  const result = make(panel, "div", { class: "tinytf-result", "aria-live": "polite" });
  const choice = chooser(stage.visible, stage, tell);

  function restart(said = "") {
    schedule = new Schedule(trace, Number(threads.value), equal.checked);
    lane = -1;
    choice.clear();
    result.replaceChildren();
    mode.show();
    player.say(`${said} Give ready operations to free threads. Time goes on when nothing more can be chosen.`.trim(), "ask");
  }
  /** The run of a node that is meant: the first that is ready, or else the next to come. */
  function itemOf(name) {
    const n = trace.names.indexOf(name);
    const own = schedule.items.filter((item) => item.node === n);
    return schedule.ready().find((item) => item.node === n)
      ?? own.find((item) => item.start >= 0 && !item.isOver) ?? own.find((item) => item.start < 0)
      ?? own.at(-1);
  }
  function assign(item, to = lane) {
    const before = schedule.time;
    const why = schedule.assign(item, to);
    root.dataset.verdict = why ? "wrong" : "right";
    if (why) return player.say(`✗ ${why}`, "wrong");
    lane = -1;
    const what = placeText(trace, item.node, item.iteration);
    const where = item.blocked ? "waits in its kernel and holds no thread" : `goes to ${schedule.lanes[item.lane].name}`;
    const moved = schedule.time > before ? ` Time goes on to ${schedule.lengthText(schedule.time)}.` : "";
    player.say(`${what} ${where}.${moved}`, "right");
    mode.show(trace.names[item.node]);
    if (schedule.isFinished) finish();
  }
  function pick(name, to = lane) {
    if (name === null || stage.describe(name)) return undefined;
    choice.choose(name);
    if (name in trace.fed) return player.say(`${name} does not run: its value is there from the start.`, "wrong");
    const item = itemOf(name);
    if (!item) return player.say(`${name} did not end in the recorded part of the step.`, "wrong");
    assign(item, to);
  }
  function goOn() {
    if (!schedule.canAdvance()) return player.say("Nothing is running: time would stand still. Choose an operation.", "wrong");
    schedule.advance();
    while (!schedule.isFinished && !schedule.canChoose()) schedule.advance();
    player.say(`Time goes on to ${schedule.lengthText(schedule.time)}.`, "right");
    mode.show();
    if (schedule.isFinished) finish();
  }
  function finish() {
    const text = (length) => schedule.lengthText(length);
    const limits = schedule.limits();
    const count = plural(Number(threads.value), "thread");
    const isBest = schedule.makespan <= limits.bound * (1 + 1e-9);
    player.say(`Done: your schedule takes ${text(schedule.makespan)}${isBest ? ", and none can be shorter" : ""}.`, "right");
    result.replaceChildren();
    const rows = make(make(result, "table", { class: "tinytf-facts" }), "tbody");
    const path = limits.pathNames.length > 6
      ? `${limits.pathNames.slice(0, 3).join(" → ")} → … → ${limits.pathNames.at(-1)}` : limits.pathNames.join(" → ");
    for (const [title, said] of [
      ["your schedule", text(schedule.makespan)],
      ["the recorded order", `${text(schedule.likeRecorded())}, on ${count} as well`],
      ["no schedule is shorter than", `${text(limits.bound)}: the longest path is ${text(limits.path)} ` +
        `(${path}); all work, on ${count}, ${text(limits.work)}`],
      ...(schedule.isEqual ? [] : [["measured", `${timeText(trace.events.at(-1).time)} took the recorded step, ` +
        `on ${plural(trace.threads.length, "thread")}, with what it costs to watch and to hand over`]]),
    ]) {
      const row = make(rows, "tr");
      make(row, "th", {}, title);
      make(row, "td", {}, said);
    }
    const order = `order=[${schedule.order().map((name) => JSON.stringify(name)).join(", ")}]`;
    const many = Number(threads.value) > 1 ? `threads=${threads.value}, ` : "";
    make(result, "p", { class: "tinytf-aside" }, "To run it for real, in this order, give this to watch(fetches, ...):");
    const code = make(result, "pre", { class: "tinytf-order", tabindex: "0" }, many + order);
    const copy = make(result, "button", { type: "button", class: "tinytf-copy" }, "Copy");
    copy.addEventListener("click", async () => {
      try {
        await navigator.clipboard.writeText(code.textContent);
        copy.textContent = "Copied";
      } catch { // not allowed here: select it, so that it can be copied by hand
        getSelection().selectAllChildren(code);
      }
    });
  }

  /** A node as the drawing shows it: its run that is under way, or the next one. */
  function nodeOf(name) {
    const item = itemOf(name);
    if (!item) return { count: 0, state: "failed", note: "", values: [] };
    const count = item.needs.filter((id) => schedule.byId.has(id) && !schedule.byId.get(id).isOver).length;
    const skipped = item.kind === "skip";
    const state = item.isOver ? (skipped ? "skipped" : "done")
      : item.start >= 0 ? (item.blocked ? "blocked" : "running")
      : schedule.isReady(item) ? "ready" : "waiting";
    return { count, state, note: item.iteration, values: [] };
  }
  function showLanes() {
    const total = Math.max(schedule.makespan, schedule.likeRecorded(), 1);
    gantt.replaceChildren();
    schedule.lanes.forEach(({ name }, number) => {
      const row = make(gantt, "div", { class: "tinytf-gantt-row", "data-lane": number });
      const busy = schedule.busy(number);
      const state = busy ? `runs ${trace.names[busy.node]}` : "free";
      const title = make(row, "button", { type: "button", "aria-pressed": String(number === lane) }, `${name}: ${state}`);
      title.addEventListener("click", () => {
        lane = lane === number ? -1 : number;
        mode.show();
        gantt.children[number].querySelector("button").focus();
      });
      const track = make(row, "div", { class: "tinytf-track" });
      for (const item of schedule.items.filter((i) => i.lane === number && i.start >= 0 && !i.blocked)) {
        const length = `${schedule.lengthText(item.start)} to ${schedule.lengthText(item.end)}`;
        const text = placeText(trace, item.node, item.iteration);
        const block = make(track, "div", {
          class: "tinytf-block", title: `${text}: ${length}`, "data-over": String(item.isOver),
        }, text);
        block.style.left = `${(100 * item.start) / total}%`;
        block.style.width = `${(100 * item.length) / total}%`;
      }
      const cursor = make(track, "div", { class: "tinytf-cursor" });
      cursor.style.left = `${(100 * schedule.time) / total}%`;
    });
  }
  const mode = {
    enter() {
      const failed = trace.events.at(-1).kind === "fail";
      restart(failed ? "The step failed: this is the part that ran."
        : trace.complete ? "" : "The recording was cut: this is the part that was recorded.");
    },
    show(current = null) {
      stage.paint(trace.names.map(nodeOf), current, false);
      showLanes();
      root.dataset.finished = String(schedule.isFinished);
      wait.disabled = !schedule.canAdvance();
      if (choice.name()) tell(choice.name());
      stage.queue.replaceChildren();
      for (const item of schedule.ready()) {
        const entry = make(stage.queue, "li", { "data-node": trace.names[item.node] });
        const text = `${placeText(trace, item.node, item.iteration)}, ${schedule.lengthText(item.length)}`;
        make(entry, "button", { type: "button" }, text).addEventListener("click", () => {
          assign(item);
          (stage.queue.querySelector("button") ?? root).focus();
        });
      }
      if (!schedule.ready().length) make(stage.queue, "li", { class: "tinytf-empty" }, "nothing");
    },
    describe(name) {
      if (name in trace.fed) return `${trace.fed[name]} (fed)`;
      if (stage.describe(name)) return stage.describe(name);
      const item = itemOf(name);
      const why = item ? schedule.whyNot(item, lane) : "It did not end in the recorded part.";
      return why || `${name} is ready and takes ${schedule.lengthText(item.length)}. Enter, or a number: the thread for it.`;
    },
    hint: "Click a ready operation, or choose one with the arrow keys: Enter gives it to a free thread, " +
      "1 to 4 to that thread, W lets time go on.",
    pick: (name) => pick(name),
    key(key) {
      const number = Number(key);
      if (key === "ArrowRight") choice.move(1);
      else if (key === "ArrowLeft") choice.move(-1);
      else if (key === "ArrowDown" || key === "ArrowUp") moveReady(key === "ArrowDown" ? 1 : -1);
      else if ((key === "Enter" || key === " ") && choice.name()) pick(choice.name());
      else if (number >= 1 && number <= schedule.lanes.length && choice.name()) pick(choice.name(), number - 1);
      else if (key === "w" || key === "W") goOn();
      else return false;
      return true;
    },
  };
  /** Up and down go through what is ready only. */
  function moveReady(step) {
    const names = [...new Set(schedule.ready().map((item) => trace.names[item.node]))];
    if (!names.length) return;
    const at = names.indexOf(choice.name());
    const next = names[at < 0 ? 0 : (at + step + names.length) % names.length];
    choice.choose(next);
    tell(next);
  }
  threads.addEventListener("change", () => restart());
  equal.addEventListener("change", () => restart());
  again.addEventListener("click", () => restart());
  wait.addEventListener("click", goOn);
  return mode;
}
