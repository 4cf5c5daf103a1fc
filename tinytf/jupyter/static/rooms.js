// Shows where operations are, and why. All of it comes once, from tinytf/jupyter/placed_widget.py,
// explained in Python; here it is chosen what is shown, and how wide (rooms_plan.js). page.js stands
// before it.

/** What is said of a placement; the parts of a step (parts_widget.py) say something else. */
const WORDS = {
  label: "Where operations are, and why.", key: "Same letter: must be on one device.", see: "why it is there",
};

const nodesIn = (scroll) => [...scroll.querySelectorAll("[data-node]")];
/** A node without its device: the same scope or tensor in another drawing. */
const base = (key) => key.split(" on ")[0];

/** A row of buttons of which one is pressed. */
function choice(parent, label, names, choose) {
  const row = make(parent, "div", { class: "tinytf-choices", role: "group", "aria-label": label });
  const buttons = names.map((name, number) => {
    const button = make(row, "button", { type: "button", "data-choice": name }, name);
    button.addEventListener("click", () => choose(number));
    return button;
  });
  row.hidden = names.length < 2;
  return (chosen) => buttons.forEach((b, n) => b.setAttribute("aria-pressed", String(n === chosen)));
}

function facts(parent, rows) {
  const table = make(parent, "table", { class: "tinytf-facts" });
  for (const [title, text] of rows) {
    const row = make(table, "tr");
    make(row, "th", {}, title);
    make(row, "td", {}, text);
  }
}

function render({ model, el }) {
  const { placers, differing, words, step = {} } = { words: WORDS, ...model.get("content") };
  const views = Object.keys(placers[0].views);
  let view = words.first ?? views[views.length - 1];
  let pointed = "";
  let leaving = 0; // the timer
  let now = 0; // of the clock, in ns of the step

  const root = make(el, "div", {
    class: "tinytf-view tinytf-placement", tabindex: "0", role: "group",
    "aria-label": `${words.label} Left and right arrow: another operation. Up and down arrow: along an edge.`,
    "data-lm-suppress-shortcuts": "true", // arrow keys are for the widget, not for the notebook
  });
  const choices = make(root, "div", { class: "tinytf-choice" });
  const both = placers.length > 1;
  const pressPlacer = choice(
    choices, "Placer", both ? ["side by side", ...placers.map((p) => p.name)] : placers.map((p) => p.name),
    (number) => showPlacer(number),
  );
  const pressView = choice(choices, "Detail", views, (number) => { view = views[number]; showView(); });
  if (both) {
    const names = differing.slice(0, 12).join(", ") + (differing.length > 12 ? " ..." : "");
    make(root, "p", { class: "tinytf-aside tinytf-differing" },
      differing.length ? `≠ ${differing.length} placed differently: ${names}` : "Both placers agree.");
  }
  const drawings = make(root, "div", { class: "tinytf-drawings" });
  const figures = placers.map((placer) => {
    const figure = make(drawings, "figure", { "data-placer": placer.name });
    make(figure, "figcaption", { class: "tinytf-aside" }, placer.summary);
    const scroll = make(figure, "div", { class: "tinytf-scroll" });
    const more = make(figure, "p", { class: "tinytf-aside tinytf-more", "aria-hidden": "true" });
    const cut = make(figure, "p", { class: "tinytf-aside" });
    scroll.addEventListener("scroll", () => sayMore(scroll, more));
    return { placer, figure, scroll, more, cut };
  });
  const key = make(root, "div");
  key.innerHTML = placers[0].key;
  make(root, "p", { class: "tinytf-aside" }, words.key +
    (both ? " ≠: the other placer chose another device." : ""));
  const whys = make(root, "div", { class: "tinytf-whys", "aria-live": "polite" });

  function showPlacer(number) {
    pressPlacer(number);
    figures.forEach(({ figure }, n) => { figure.hidden = both && number > 0 && number !== n + 1; });
    root.dataset.columns = both && number === 0 ? 2 : 1;
    fit();
    show();
  }

  function showView() {
    pressView(views.indexOf(view));
    for (const { placer, scroll, cut } of figures) {
      scroll.innerHTML = placer.views[view].svg;
      cut.textContent = placer.views[view].cut;
      for (const g of nodesIn(scroll)) {
        g.addEventListener("mouseenter", () => point(g.dataset.node));
        g.addEventListener("mouseleave", () => { leaving = setTimeout(() => point(""), 250); }); // not between two nodes
        g.addEventListener("click", () => select(g.dataset.node));
      }
    }
    fit();
    show();
    showTime();
  }

  /** Drawings are laid out for the width; those that are a little too wide are drawn smaller. */
  function fit() {
    for (const { scroll, more } of figures) {
      const svg = scroll.querySelector("svg");
      if (!svg || !scroll.clientWidth) continue;
      furnish(svg, scroll.clientWidth);
      const { width, height } = svg.viewBox.baseVal;
      const scale = Math.max(0.9 * SMALLEST, Math.min(1, scroll.clientWidth / width));
      svg.setAttribute("width", width * scale);
      svg.setAttribute("height", height * scale);
      sayMore(scroll, more);
    }
  }

  /** Scroll bars may be hidden: say in words where a drawing goes on. */
  function sayMore(scroll, more) {
    const right = scroll.scrollWidth - scroll.clientWidth - scroll.scrollLeft > 8;
    more.textContent = right ? "The drawing goes on to the right \u2192 (scroll)." : "";
  }

  const times = step.runs ? timesOf(step) : {};
  const clock = joinClock(step.clock, {
    onTime(time) { now = time; showTime(); },
    onSelect: (name) => select(name, false),
  });
  /** In a cockpit: what of the step has run by now, and what runs. */
  function showTime() {
    for (const g of figures.flatMap(({ scroll }) => nodesIn(scroll))) {
      const [start, end] = times[g.dataset.node] ?? [];
      if (start !== undefined) g.dataset.state = now < start ? "waiting" : now < end ? "running" : "done";
    }
  }

  function point(name) {
    clearTimeout(leaving);
    pointed = name;
    show();
  }

  function select(name, isTold = true) {
    model.set("selected", name);
    model.save_changes();
    if (isTold) clock.select(name);
    for (const { scroll } of figures) {
      const chosen = nodesIn(scroll).find((g) => base(g.dataset.node) === base(name));
      if (chosen) follow(scroll, chosen);
    }
  }

  /** What one placer says of a node: of an operation why it is there, of a scope who is in it. */
  function explain(placer, scroll, name) {
    const box = make(whys, "div", { class: "tinytf-why", "data-op": name });
    const why = placer.why[name];
    const scopes = Object.entries(placer.views[view].gathered).filter(([key]) => base(key) === base(name));
    if (why) {
      make(box, "div", {}, why[0]);
      facts(box, why[1].map(([title, lines]) => [title, lines.join("\n")]));
    }
    for (const [, { title, rules, more }] of scopes) {
      make(box, "div", {}, title);
      facts(box, rules);
      if (more) make(box, "div", {}, `... and ${more} more`);
    }
    const drawn = nodesIn(scroll).find((g) => base(g.dataset.node) === base(name));
    if (!why && !scopes.length && drawn) {
      make(box, "pre", {}, drawn.querySelector("title").textContent);
    }
  }

  function show() {
    const selected = model.get("selected");
    const name = pointed || selected;
    root.dataset.selected = selected;
    whys.replaceChildren();
    for (const { placer, figure, scroll } of figures) {
      const group = placer.groups[name];
      for (const g of nodesIn(scroll)) {
        const other = g.dataset.node;
        const tied = group && placer.groups[other] === group;
        g.dataset.lit = base(other) === base(name) ? "self" : tied ? "group" : "";
      }
      for (const edge of scroll.querySelectorAll(".tinytf-edge")) {
        const ends = [edge.dataset.source, edge.dataset.target];
        edge.toggleAttribute("data-lit", ends.includes(name));
      }
      if (name && !figure.hidden) explain(placer, scroll, name);
    }
    if (!name) make(whys, "p", {}, `Point at an operation, or choose one with the arrow keys, to see ${words.see}.`);
  }

  /** The operation to go to with a key. */
  function next(step) {
    const { scroll } = figures.find(({ figure }) => !figure.hidden);
    const nodes = nodesIn(scroll).map((g) => g.dataset.node);
    const now = model.get("selected");
    if (typeof step === "number") {
      const at = nodes.indexOf(now);
      return nodes[at < 0 ? 0 : (at + step + nodes.length) % nodes.length];
    }
    const [from, to] = step === "up" ? ["target", "source"] : ["source", "target"];
    const edge = [...scroll.querySelectorAll(".tinytf-edge")].find((e) => e.dataset[from] === now);
    return edge ? edge.dataset[to] : now || nodes[0];
  }
  const keys = { ArrowRight: 1, ArrowLeft: -1, ArrowUp: "up", ArrowDown: "down" };
  root.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key !== "Tab" && event.key !== "Escape") event.stopPropagation();
    if (event.key === "Escape") select("");
    if (!(event.key in keys)) return;
    event.preventDefault();
    pointed = "";
    select(next(keys[event.key]));
  });
  /** Keep what is chosen in sight, inside the drawing's own scroll area. */
  function follow(scroll, g) {
    const box = g.getBoundingClientRect();
    const area = scroll.getBoundingClientRect();
    if (box.left < area.left) scroll.scrollLeft -= area.left - box.left + 30;
    if (box.right > area.right) scroll.scrollLeft += box.right - area.right + 30;
    if (box.top < 0 || box.bottom > innerHeight) g.scrollIntoView({ block: "center" });
  }
  const observer = new ResizeObserver(fit);
  observer.observe(root);
  model.on("change:selected", show);
  showPlacer(0);
  showView();
  return () => {
    observer.disconnect();
    clearTimeout(leaving);
    clock.leave();
    model.off("change:selected", show);
  };
}

export default { render };
