// The widget of a graph: what is open, what is chosen, what is told of it. All comes once from Python.

const KEYS_OF_VIEW = "Arrow keys: from box to box. " +
  "Enter: open. Escape: back. Slash: search. Plus, minus, zero: zoom.";

function render({ model, el }) {
  const graph = prepare(model.get("content"));
  const open = new Set(graph.open);
  const aside = new Set(graph.aside);
  let [selected, pointed] = [null, null];
  let matches = new Set();

  // The pieces of the widget ----------------------------------------------------------------------
  const root = make(el, "div", {
    class: "tinytf-view tinytf-graph-view", tabindex: "0", role: "group",
    "aria-label": `${graph.caption} ${KEYS_OF_VIEW}`,
    "data-lm-suppress-shortcuts": "true", // the keys are for the widget, not for the notebook
  });
  for (const remark of graph.remarks) make(root, "p", { class: "tinytf-remark" }, remark);
  const bar = make(root, "div", { class: "tinytf-controls" });
  const search = makeSearch(bar, graph, {
    marked(items) {
      matches = new Set(items.map((item) => stage.shownAs(item)));
      mark();
    },
    take: goTo,
    leave: () => root.focus({ preventScroll: true }),
  });
  const button = (name, label, title, act, isToggle = false) => {
    const made = make(bar, "button", { class: `tinytf-${name}`, type: "button", title }, label);
    if (!/\w/.test(label)) made.setAttribute("aria-label", title);
    if (isToggle) made.setAttribute("aria-pressed", "false");
    made.addEventListener("click", act);
    return made;
  };
  button("zoom-out", "−", "Zoom out (minus)", () => stage.zoom(1 / 1.25));
  button("zoom-in", "+", "Zoom in (plus)", () => stage.zoom(1.25));
  button("fit", "Fit", "Show everything (0)", () => stage.fit(SMALLEST));
  if (graph.groups.length > 1) {
    button("collapse", "Close all", "Only the outermost boxes", () => { open.clear(); choose(null); stage.redraw(); stage.fit(); });
  }
  button("reset", "As at first", "The first view again", () => {
    open.clear();
    graph.open.forEach((item) => open.add(item));
    aside.clear();
    graph.aside.forEach((item) => aside.add(item));
    choose(null);
    stage.redraw();
    stage.fit();
  });
  const moveAside = button("move-aside", "Set aside", "Draw the chosen box beside the picture, or with its lines", () => toggleAside());
  let tracing = false;
  const trace = button("trace", "What it needs", "Show all that the chosen box needs, directly or not", () => {
    tracing = !tracing;
    trace.setAttribute("aria-pressed", String(tracing));
    mark();
  }, true);
  let byDevice = false;
  if (graph.devices.some(Boolean)) {
    const colours = button("colours", "Colour by device", "Fill boxes by device instead of by kind", () => {
      byDevice = !byDevice;
      colours.setAttribute("aria-pressed", String(byDevice));
      root.dataset.colours = byDevice ? "device" : "kind";
      stage.redraw();
    }, true);
  }
  button("full", "Full screen", "Fill the screen; Escape ends it", () => {
    const asked = document.fullscreenElement === root ? document.exitFullscreen() : root.requestFullscreen?.();
    asked?.catch?.((error) => { said.textContent = `The page does not allow full screen: ${error.message}`; });
  });
  const frame = make(root, "div", { class: "tinytf-graph-stage" });
  const picture = make(frame, "div", { class: "tinytf-picture" });
  const column = make(frame, "div", { class: "tinytf-column" });
  const side = make(column, "div", { class: "tinytf-details", "aria-live": "polite", role: "region", "aria-label": "What is known of it", tabindex: "0" });
  const told = make(root, "p", { class: "tinytf-told", "aria-live": "polite" });
  legend(graph, root);
  make(root, "p", { class: "tinytf-aside tinytf-caption" }, graph.caption);
  const said = make(root, "p", { class: "tinytf-aside tinytf-more" });
  const stage = makeStage(picture, graph, {
    open, aside, label: graph.caption, least: 280, mapIn: column,
    drawn() {
      if (byDevice) fillByDevice();
      root.dataset.boxes = String([...stage.plan.boxes.keys()].filter((item) => !open.has(item)).length);
      mark();
    },
    moved(sides) {
      root.dataset.scale = stage.scale.toFixed(3);
      said.textContent = sides.length ? `The drawing goes on ${sides.join(", ")}: drag it. Ctrl and the wheel zoom.` : "Drag to move it; Ctrl and the wheel zoom.";
    },
    clicked(item) {
      root.focus({ preventScroll: true });
      choose(item);
    },
    toggled: (item) => setOpen(item, !open.has(item)),
    pointed(item, line, g) {
      if (g && !g.querySelector("title")) {
        const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
        title.textContent = describeLine(graph, line);
        g.prepend(title);
      }
      const isFrame = item !== null && open.has(item);
      if (isFrame || (item === pointed && !line)) return;
      pointed = item;
      explain(graph, stage.view, pointed ?? selected, side, goTo);
      if (line && item === null) side.prepend(Object.assign(document.createElement("pre"), { className: "tinytf-line-words", textContent: describeLine(graph, line) }));
      mark();
    },
  });
  function fillByDevice() {
    for (const [item, g] of stage.boxes) {
      const main = devicesOf(graph, item)[0][0];
      if (main && !open.has(item)) g.dataset.hue = String(graph.devices.indexOf(main) % 8);
    }
  }

  // Choosing --------------------------------------------------------------------------------------
  const touches = (line, item) => line.up.includes(item) || line.down.includes(item);
  const allLines = () => [...stage.view.lines, ...stage.view.beside];

  function mark() {
    const item = pointed ?? selected;
    const near = new Set();
    const lit = new Set();
    for (const line of allLines()) {
      if (item === null || !touches(line, item)) continue;
      near.add(line.source);
      near.add(line.target);
      line.edges.forEach((edge) => lit.add(edge));
    }
    root.toggleAttribute("data-focus", item !== null);
    for (const [id, g] of stage.boxes) {
      g.dataset.lit = id === selected ? "self" : id === item ? "pointed" : near.has(id) ? "near" : "";
      g.toggleAttribute("data-match", matches.has(id));
    }
    stage.edges.forEach((g, at) => g.toggleAttribute("data-lit", stage.plan.lines[at].edges.some((edge) => lit.has(edge))));
    threads(item);
    traceNeeds();
    moveAside.disabled = selected === null;
    moveAside.textContent = aside.has(selected) ? "Put back" : "Set aside";
  }

  /** Light what the chosen box needs, if that is asked for; say how much it is. */
  function traceNeeds() {
    const isOn = tracing && selected !== null;
    root.toggleAttribute("data-tracing", isOn);
    const needed = isOn ? needs(graph, selected) : new Set();
    const boxes = new Set([...needed].map((node) => stage.view.shown[node]));
    for (const [id, g] of stage.boxes) g.toggleAttribute("data-needed", boxes.has(id));
    stage.edges.forEach((g, at) => {
      g.toggleAttribute("data-needed", stage.plan.lines[at].edges.some((edge) => needed.has(graph.edges[edge].target)));
    });
    root.dataset.needed = isOn ? String(needed.size) : "";
    told.textContent = isOn ? `It needs ${plural(needed.size, "operation")} of ${graph.count.toLocaleString("en")}, itself included.`
      : tracing ? "Choose a box to see what it needs." : "";
  }

  /** Lines to what is set aside, only while an end of theirs is looked at. */
  function threads(item) {
    const looked = stage.view.beside.filter((line) => item !== null && !open.has(item) && touches(line, item));
    stage.drawThreads(looked.map((line) => [line.source, line.target]));
  }

  function choose(item) {
    selected = item;
    root.dataset.selected = item === null ? "" : graph.item(item).name ?? (graph.item(item).path || graph.item(item).label);
    explain(graph, stage.view, item, side, goTo);
    if (stage.plan) mark();
  }

  function setOpen(item, shall) {
    if (!stage.setOpen(item, shall)) return;
    choose(selected !== null && !stage.plan.boxes.has(selected) ? item : selected);
    stage.reveal(item);
  }

  function goTo(item) {
    pointed = null;
    stage.goTo(item);
    choose(item);
  }

  function toggleAside() {
    if (selected === null) return;
    if (aside.has(selected)) aside.delete(selected);
    else aside.add(selected);
    stage.redraw();
    choose(selected);
    stage.reveal(selected);
  }

  // Keys ------------------------------------------------------------------------------------------
  const boxOf = (item) => stage.plan.boxes.get(item);
  const topmost = (items) => [...items].filter(boxOf)
    .sort((a, b) => boxOf(a).top - boxOf(b).top || boxOf(a).left - boxOf(b).left)[0];

  /** Along a line: of several, the end that is nearest. */
  function along(down) {
    if (selected === null) return choose(topmost(graph.item(graph.root).children));
    const ends = allLines().filter((line) => (down ? line.up : line.down).includes(selected))
      .map((line) => (down ? line.target : line.source)).filter((item) => item !== selected);
    if (!ends.length) return undefined;
    const here = boxOf(selected);
    const far = (item) => Math.hypot(boxOf(item).left - here.left, boxOf(item).top - here.top) + (aside.has(item) ? 1e5 : 0);
    const next = ends.sort((a, b) => far(a) - far(b))[0];
    choose(next);
    return stage.reveal(next);
  }

  /** To the box beside; of a drawing that runs to the right, the one above or below. */
  function beside(step) {
    if (selected === null) return along(true);
    const middle = (item) => {
      const { left, top, width, height } = boxOf(item);
      return stage.plan.across ? [top + height / 2, left] : [left + width / 2, top];
    };
    const [x, y] = middle(selected);
    const far = (item) => Math.abs(middle(item)[0] - x) + 3 * Math.abs(middle(item)[1] - y);
    const siblings = graph.item(graph.parent[selected]).children;
    const next = siblings.filter((item) => (middle(item)[0] - x) * step > 1).sort((a, b) => far(a) - far(b))[0];
    choose(next ?? selected);
    return stage.reveal(selected);
  }

  function enter() {
    if (selected === null || selected < graph.count) return;
    setOpen(selected, true);
    choose(topmost(graph.item(selected).children) ?? selected);
    stage.reveal(selected);
  }

  function back() {
    if (selected === null) return;
    const group = open.has(selected) ? selected : graph.parent[selected];
    if (group === graph.root) return choose(null);
    choose(group);
    setOpen(group, false);
  }

  /** The arrows go where they point. */
  const arrow = (isAlong, step) => () => (isAlong !== stage.plan.across ? along(step > 0) : beside(step));
  const actions = {
    ArrowDown: arrow(true, 1), ArrowUp: arrow(true, -1), ArrowRight: arrow(false, 1), ArrowLeft: arrow(false, -1),
    Enter: enter, Escape: back, "/": search.focus, "+": () => stage.zoom(1.25), "=": () => stage.zoom(1.25),
    "-": () => stage.zoom(1 / 1.25), 0: () => stage.fit(SMALLEST), f: () => stage.fit(SMALLEST),
    " ": () => selected !== null && setOpen(selected, !open.has(selected)),
  };
  root.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const escapes = event.key === "Escape" && selected === null;
    if (event.key !== "Tab" && !escapes) event.stopPropagation();
    const onButton = event.target.closest("button") && (event.key === "Enter" || event.key === " ");
    if (event.target === search.input || onButton || !actions[event.key]) return;
    event.preventDefault();
    pointed = null;
    actions[event.key]();
  });
  stage.start();
  choose(null);
  return stage.dispose;
}

export default { render };
