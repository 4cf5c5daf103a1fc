// The row of controls that plays a recorded step: the model's `frame` is where it stands.

const MILLISECONDS = 900;

/** The controls, inside `parent`; `root` is the widget, which has the keyboard. */
function makePlayer(model, root, parent, trace) {
  let last = trace.events.length - 1;
  let timer = null;
  const controls = make(parent, "div", { class: "tinytf-controls tinytf-player" });
  const button = (name, label, title) =>
    make(controls, "button", { class: `tinytf-${name}`, type: "button", title }, label);
  const reset = button("reset", "Reset", "Back to the beginning (Home)");
  const back = button("back", "◀ Step back", "One event back (left arrow)");
  const play = button("play", "▶ Play", "Play or pause (space)");
  const step = button("step", "Step ▶", "One event on (right arrow)");
  const slider = make(controls, "input", {
    class: "tinytf-slider", type: "range", min: "0", max: String(last), step: "1",
    "aria-label": "Jump to an event",
  });
  const position = make(controls, "span", { class: "tinytf-position" });
  const speedLabel = make(controls, "label", { class: "tinytf-speed-label" }, "Speed ");
  const speed = make(speedLabel, "select", { class: "tinytf-speed" });
  for (const factor of ["0.5", "1", "2", "5", "20"]) {
    make(speed, "option", { value: factor }, `${factor}×`).selected = factor === "1";
  }
  const now = make(parent, "p", { class: "tinytf-now", "aria-live": "polite" });

  const frame = () => Math.min(Math.max(model.get("frame"), 0), last);
  function go(to) {
    model.set("frame", Math.min(Math.max(to, 0), last));
    model.save_changes();
  }
  function pause() {
    clearInterval(timer);
    timer = null;
    play.textContent = "▶ Play";
    root.dataset.playing = "false";
    now.setAttribute("aria-live", "polite");
  }
  function tick() {
    if (frame() < last) go(frame() + 1);
    if (frame() >= last) pause();
  }
  function start() {
    if (frame() >= last) go(0);
    clearInterval(timer);
    timer = setInterval(tick, MILLISECONDS / Number(speed.value));
    play.textContent = "Pause";
    root.dataset.playing = "true";
    now.setAttribute("aria-live", "off"); // a reader cannot keep up with a film
  }
  const by = (distance) => {
    pause();
    go(frame() + distance);
  };
  /** In a cockpit one player plays for all (cockpit.js). */
  const leader = () => {
    const found = root.closest(".tinytf-cockpit")?.querySelector(".tinytf-transport");
    return found === root ? null : found;
  };
  function toggle() {
    if (leader()) leader().querySelector(".tinytf-play").click();
    else if (timer === null) start();
    else pause();
  }

  reset.addEventListener("click", () => by(-Infinity));
  back.addEventListener("click", () => by(-1));
  step.addEventListener("click", () => by(1));
  play.addEventListener("click", toggle);
  speed.addEventListener("change", () => timer !== null && start());
  slider.addEventListener("input", () => {
    pause();
    go(Number(slider.value));
  });

  function say(text, kind = "") {
    now.textContent = text;
    now.dataset.kind = kind;
  }
  /** Show where it stands. */
  function update() {
    const event = trace.events[frame()];
    say(event.text, event.kind);
    slider.value = String(frame());
    slider.setAttribute("aria-valuetext", event.text);
    slider.style.setProperty("--done", `${(100 * frame()) / Math.max(1, last)}%`);
    position.textContent = `event ${frame()} of ${last}`;
    root.dataset.frame = String(frame());
    back.disabled = reset.disabled = frame() === 0;
    step.disabled = frame() === last;
  }
  /** There are more events, or fewer. */
  function grow() {
    last = trace.events.length - 1;
    slider.max = String(last);
    update();
  }
  const keys = {
    ArrowRight: () => by(1), ArrowLeft: () => by(-1),
    Home: () => by(-Infinity), End: () => by(Infinity),
  };
  pause();
  return { get last() { return last; }, frame, go, grow, by, pause, toggle, say, update, keys, controls, pace: () => Number((leader()?.querySelector(".tinytf-speed") ?? speed).value) };
}

/** Keys of the widget: `act` gets those that no control of its own wants; true if it used one. */
function listen(root, act) {
  root.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // JupyterLab asks only the focused element whether to be quiet: on a button, its x would cut the
    // cell, and on the slider its arrows would go to another cell.
    if (event.key !== "Tab" && event.key !== "Escape") event.stopPropagation();
    const tag = event.target.tagName;
    if (tag === "INPUT" || tag === "SELECT") return; // they have their own keys
    const presses = event.key === " " || event.key === "Enter";
    if (presses && event.target !== root) return; // on a button, they press it
    if (act(event.key)) event.preventDefault();
  });
}
