// A cluster as it is: the drawing comes from tinytf/jupyter/cluster_picture.py whenever something
// has changed; here a task is chosen, and told about. live.js stands before it.

function render({ model, el }) {
  const root = make(el, "div", {
    class: "tinytf-view tinytf-live tinytf-live-cluster", tabindex: "0", role: "group", "data-lm-suppress-shortcuts": "true",
  });
  const head = make(root, "p", { class: "tinytf-title" });
  const drawing = make(root, "div", { class: "tinytf-scroll" });
  const told = make(root, "div", { class: "tinytf-told", "aria-live": "polite" });
  const sessions = make(root, "p", { class: "tinytf-aside tinytf-sessions" });
  let pointed = "";

  function draw() {
    const state = model.get("state");
    root.setAttribute("aria-label", `${state.headline} Arrow keys: another task.`);
    head.textContent = state.headline;
    drawing.innerHTML = state.svg;
    for (const g of drawing.querySelectorAll("[data-node]")) {
      g.addEventListener("mouseenter", () => { pointed = g.dataset.node; tell(); });
      g.addEventListener("mouseleave", () => { pointed = ""; tell(); });
      g.addEventListener("click", () => select(g.dataset.node));
    }
    sessions.replaceChildren();
    for (const text of state.sessions) make(sessions, "div", {}, text);
    tell();
  }

  function select(name) {
    model.set("selected", name);
    model.save_changes();
  }

  function tell() {
    const { facts } = model.get("state");
    const name = pointed || model.get("selected");
    root.dataset.selected = model.get("selected");
    for (const g of drawing.querySelectorAll("[data-node]")) g.toggleAttribute("data-lit", g.dataset.node === name);
    for (const e of drawing.querySelectorAll(".tinytf-edge")) {
      e.toggleAttribute("data-lit", [e.dataset.source, e.dataset.target].includes(name));
    }
    told.replaceChildren();
    if (!facts[name]) {
      make(told, "p", { class: "tinytf-aside" }, "Point at a task, or choose one with the arrow keys: what it holds, sends and receives.");
      return;
    }
    make(told, "p", { class: "tinytf-title" }, name);
    const table = make(told, "table", { class: "tinytf-facts" });
    for (const [title, lines] of facts[name]) {
      const row = make(table, "tr");
      make(row, "th", {}, title);
      make(row, "td", {}, lines.join("\n"));
    }
  }

  const steps = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
  root.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key !== "Tab" && event.key !== "Escape") event.stopPropagation();
    if (event.key === "Escape") select("");
    if (!(event.key in steps)) return;
    event.preventDefault();
    pointed = "";
    const names = Object.keys(model.get("state").facts);
    const now = names.indexOf(model.get("selected"));
    const next = now < 0 ? (steps[event.key] > 0 ? 0 : names.length - 1) : now + steps[event.key];
    select(names[(next + names.length) % names.length] ?? "");
  });
  model.on("change:state", draw);
  model.on("change:selected", tell);
  draw();
  return () => {
    model.off("change:state", draw);
    model.off("change:selected", tell);
  };
}

export default { render };
