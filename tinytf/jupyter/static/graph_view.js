// The widget of a graph: what is open, what is chosen, where one looks. All comes once from Python.

const SMALLEST = 0.12;
const LARGEST = 3;
const READABLE = 0.8; // a drawing that would be smaller goes on below, or, below TINY, at the sides
const TINY = 0.5;
const MATCHES = 12;

function render({ model, el }) {
  const graph = prepare(model.get("content"));
  const open = new Set(graph.open);
  const aside = new Set(graph.aside);
  let [selected, pointed, plan, view] = [null, null, null, null];
  let [scale, panX, panY] = [1, 0, 0];
  let matches = new Set();
  const beneath = above.bind(null, graph);

  // The pieces of the widget ----------------------------------------------------------------------
  const root = make(el, "div", {
    class: "tinytf-graph-view", tabindex: "0", role: "group",
    "aria-label": `${graph.caption} Up and down arrow: along a line. Left and right: the box beside. ` +
      "Enter: open. Escape: back. Slash: search. Plus, minus, zero: zoom.",
    "data-lm-suppress-shortcuts": "true", // the keys are for the widget, not for the notebook
  });
  make(root, "p", { class: "tinytf-aside tinytf-caption" }, graph.caption);
  for (const remark of graph.remarks) make(root, "p", { class: "tinytf-remark" }, remark);
  const bar = make(root, "div", { class: "tinytf-controls" });
  const finder = make(bar, "div", { class: "tinytf-finder" });
  const search = make(finder, "input", {
    type: "search", class: "tinytf-search", placeholder: "Search names   /", "aria-label": "Search by name or type",
    role: "combobox", "aria-expanded": "false", autocomplete: "off", spellcheck: "false",
  });
  const found = make(finder, "ul", { class: "tinytf-found", role: "listbox", hidden: "" });
  const button = (name, label, title, act) => {
    const made = make(bar, "button", { class: `tinytf-${name}`, type: "button", title }, label);
    if (!/\w/.test(label)) made.setAttribute("aria-label", title);
    made.addEventListener("click", act);
    return made;
  };
  button("zoom-out", "−", "Zoom out (minus)", () => zoom(1 / 1.25));
  button("zoom-in", "+", "Zoom in (plus)", () => zoom(1.25));
  button("fit", "Fit", "Show everything (0)", () => fit(SMALLEST));
  button("collapse", "Close all", "Only the outermost boxes", () => { open.clear(); redraw(null); fit(READABLE); });
  button("reset", "As at first", "The first view again", () => {
    open.clear();
    graph.open.forEach((item) => open.add(item));
    aside.clear();
    graph.aside.forEach((item) => aside.add(item));
    choose(null);
    redraw(null);
    fit(READABLE);
  });
  const moveAside = button("move-aside", "Set aside", "Draw the chosen box beside the picture, or with its lines", () => toggleAside());
  let tracing = false;
  const trace = button("trace", "What it needs", "Show all that the chosen box needs, directly or not", () => {
    tracing = !tracing;
    trace.setAttribute("aria-pressed", String(tracing));
    mark();
  });
  trace.setAttribute("aria-pressed", "false");
  const named = graph.devices.filter(Boolean);
  let byDevice = false;
  if (named.length) {
    const colours = button("colours", "Colour by device", "Fill boxes by device instead of by kind", () => {
      byDevice = !byDevice;
      colours.setAttribute("aria-pressed", String(byDevice));
      root.dataset.colours = byDevice ? "device" : "kind";
      redraw(null);
    });
    colours.setAttribute("aria-pressed", "false");
  }
  button("full", "Full screen", "Fill the screen; Escape ends it", () => {
    const asked = document.fullscreenElement === root ? document.exitFullscreen() : root.requestFullscreen?.();
    asked?.catch?.((error) => { said.textContent = `The page does not allow full screen: ${error.message}`; });
  });
  const stage = make(root, "div", { class: "tinytf-graph-stage" });
  const picture = make(stage, "div", { class: "tinytf-picture" });
  const column = make(stage, "div", { class: "tinytf-column" });
  const side = make(column, "div", { class: "tinytf-details", "aria-live": "polite" });
  const said = make(root, "p", { class: "tinytf-aside tinytf-more" });
  const told = make(root, "p", { class: "tinytf-aside tinytf-told", "aria-live": "polite" });
  legend(graph, root);
  picture.innerHTML = `<svg class="tinytf-graph" role="img" aria-label="${escapeText(graph.caption)}">${patterns()}<g class="tinytf-world"></g></svg>`;
  const svg = picture.querySelector("svg");
  const world = picture.querySelector(".tinytf-world");
  const map = makeMap(column, (x, y) => {
    [panX, panY] = [svg.clientWidth / 2 - x * scale, svg.clientHeight / 2 - y * scale];
    move();
  });

  // Drawing ---------------------------------------------------------------------------------------
  function redraw(anchor) {
    const before = anchor === null ? null : plan.boxes.get(anchor);
    const old = plan?.boxes;
    view = viewOf(graph, open, aside);
    plan = layOut(graph, open, aside, view, (item) => sizeOf(graph, item));
    const stubs = new Map();
    for (const line of view.beside) {
      for (const item of [line.source, line.target]) {
        const isAside = [item, ...beneath(item)].some((at) => aside.has(at));
        if (!isAside) stubs.set(item, (stubs.get(item) ?? 0) + line.edges.length);
      }
    }
    const frames = [];
    const boxes = [];
    for (const [item, box] of plan.boxes) {
      const isOpen = open.has(item);
      const depth = beneath(item).length;
      (isOpen ? frames : boxes).push([depth, drawBox(graph, item, box, {
        isOpen, depth, isAside: aside.has(item), stubs: isOpen ? 0 : stubs.get(item) ?? 0,
      })]);
    }
    frames.sort((a, b) => a[0] - b[0]);
    const columns = plan.asides.map(({ left, top, height }) => `<g class="tinytf-aside-column"><path d="M${n1(left)} ${n1(top)}v${n1(height)}"/>` +
      `<text x="${n1(left + 12)}" y="${n1(top + 12)}">set aside</text></g>`);
    const titles = [...plan.boxes].filter(([item]) => open.has(item)).map(([item, box]) => drawTitle(graph, item, box));
    world.innerHTML = [
      ...frames.map(([, text]) => text), ...columns, ...plan.lines.map((line, at) => drawLine(graph, line, at)),
      ...titles, ...boxes.map(([, text]) => text), `<g class="tinytf-flows">${drawLabels(graph, plan.lines, plan.boxes, open)}</g>`,
      '<g class="tinytf-threads"></g>',
    ].join("");
    if (byDevice) fillByDevice();
    const after = anchor === null ? null : plan.boxes.get(anchor);
    if (before && after) {
      panX += (before.left + before.width / 2 - after.left - after.width / 2) * scale;
      panY += (before.top - after.top) * scale;
    }
    root.dataset.boxes = String(boxes.length);
    map.draw(plan, open);
    move();
    glide(old);
    mark();
  }

  function fillByDevice() {
    for (const g of world.querySelectorAll(".tinytf-node")) {
      const item = Number(g.dataset.item);
      const main = devicesOf(graph, item)[0][0];
      if (main && !open.has(item)) g.dataset.hue = String(graph.devices.indexOf(main) % 8);
    }
  }

  /** Boxes that were there before glide to their new places. */
  function glide(old) {
    if (!old || plan.boxes.size > 150 || matchMedia("(prefers-reduced-motion: reduce)").matches) return;
    for (const g of world.querySelectorAll(".tinytf-edge, .tinytf-flows")) g.animate({ opacity: [0, 1] }, 160);
    for (const g of world.querySelectorAll(".tinytf-node")) {
      const item = Number(g.dataset.item);
      const [from, to] = [old.get(item), plan.boxes.get(item)];
      if (!from || open.has(item) || (Math.abs(from.left - to.left) < 1 && Math.abs(from.top - to.top) < 1)) continue;
      const at = ({ left, top }) => ({ transform: `translate(${left}px, ${top}px)` });
      g.animate([at({ left: to.left + (from.left - to.left) * 0.35, top: to.top + (from.top - to.top) * 0.35 }), at(to)], { duration: 160, easing: "ease-out" });
    }
  }

  function move() {
    world.setAttribute("transform", `translate(${n1(panX)} ${n1(panY)}) scale(${scale.toFixed(4)})`);
    root.dataset.scale = scale.toFixed(3);
    const [w, h] = [svg.clientWidth, svg.clientHeight];
    map.frame(-panX / scale, -panY / scale, w / scale, h / scale, plan);
    const where = [
      panY < -20 && "above ↑", panY + plan.height * scale > h + 20 && "below ↓",
      panX < -20 && "to the left ←", panX + plan.width * scale > w + 20 && "to the right →",
    ].filter(Boolean);
    said.textContent = where.length ? `The drawing goes on ${where.join(", ")}: drag it. Ctrl and the wheel zoom.` : "Drag to move it; Ctrl and the wheel zoom.";
  }

  function fit(least) {
    const [w, h] = [svg.clientWidth, svg.clientHeight];
    if (!w || !h) return;
    const [across, down] = [(w - 8) / plan.width, (h - 8) / plan.height];
    scale = least < TINY ? Math.min(across, down) : Math.max(TINY, Math.min(across, Math.max(least, down)));
    scale = Math.max(SMALLEST, Math.min(document.fullscreenElement === root ? 2 : 1.1, scale));
    panX = plan.width * scale <= w ? (w - plan.width * scale) / 2 : 4;
    panY = Math.max(4, (h - plan.height * scale) / 2);
    move();
  }

  function zoom(factor, x = svg.clientWidth / 2, y = svg.clientHeight / 2) {
    const next = Math.max(SMALLEST, Math.min(LARGEST, scale * factor));
    panX = x - (x - panX) * next / scale;
    panY = y - (y - panY) * next / scale;
    scale = next;
    move();
  }

  /** Bring a box into sight; one that is too big is shown from its top. */
  function reveal(item) {
    const box = plan.boxes.get(item);
    const [w, h] = [svg.clientWidth, svg.clientHeight];
    if (!box || !w) return;
    scale = Math.min(scale, Math.max(w / (box.width + 30), Math.min(scale, 0.6)), Math.max(h / (box.height + 30), Math.min(scale, READABLE)));
    const [left, top] = [panX + box.left * scale, panY + box.top * scale];
    const [right, bottom] = [left + box.width * scale, top + box.height * scale];
    if (right > w - 12) panX -= right - w + 12;
    if (left < 12 || box.width * scale > w - 24) panX = 12 - box.left * scale;
    if (bottom > h - 12) panY -= bottom - h + 12;
    if (panY + box.top * scale < 12) panY = 12 - box.top * scale;
    move();
  }

  // Choosing --------------------------------------------------------------------------------------
  const touches = (line, item) => line.up.includes(item) || line.down.includes(item);

  function mark() {
    const item = pointed ?? selected;
    const near = new Set();
    const lit = new Set();
    for (const line of [...view.lines, ...view.beside]) {
      if (item === null || !touches(line, item)) continue;
      near.add(line.source);
      near.add(line.target);
      line.edges.forEach((edge) => lit.add(edge));
    }
    root.toggleAttribute("data-focus", item !== null);
    for (const g of world.querySelectorAll(".tinytf-node")) {
      const id = Number(g.dataset.item);
      g.dataset.lit = id === selected ? "self" : id === item ? "pointed" : near.has(id) ? "near" : "";
      g.toggleAttribute("data-match", matches.has(id));
    }
    for (const g of world.querySelectorAll(".tinytf-edge")) {
      g.toggleAttribute("data-lit", plan.lines[Number(g.dataset.line)].edges.some((edge) => lit.has(edge)));
    }
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
    const boxes = new Set([...needed].map((node) => view.shown[node]));
    for (const g of world.querySelectorAll(".tinytf-node")) g.toggleAttribute("data-needed", boxes.has(Number(g.dataset.item)));
    for (const g of world.querySelectorAll(".tinytf-edge")) {
      const isNeeded = plan.lines[Number(g.dataset.line)].edges.some((at) => needed.has(graph.edges[at].target));
      g.toggleAttribute("data-needed", isNeeded);
    }
    root.dataset.needed = isOn ? String(needed.size) : "";
    told.textContent = isOn ? `It needs ${plural(needed.size, "operation")} of ${graph.count.toLocaleString("en")}, itself included.` : "";
  }

  /** Lines to what is set aside, only while an end of theirs is looked at. */
  function threads(item) {
    const paths = [];
    for (const line of view.beside) {
      if (item === null || open.has(item) || !touches(line, item)) continue;
      const [a, b] = [plan.boxes.get(line.source), plan.boxes.get(line.target)];
      const [from, to] = a.left < b.left ? [a, b] : [b, a];
      const [x0, y0] = [from.left + from.width, from.top + from.height / 2];
      const [x1, y1] = [to.left, to.top + to.height / 2];
      const bend = Math.max(30, Math.abs(x1 - x0) / 2);
      paths.push(`<path d="M${n1(x0)} ${n1(y0)}C${n1(x0 + bend)} ${n1(y0)} ${n1(x1 - bend)} ${n1(y1)} ${n1(x1)} ${n1(y1)}"/>`);
    }
    world.querySelector(".tinytf-threads").innerHTML = paths.slice(0, 200).join("");
  }

  function choose(item) {
    selected = item;
    root.dataset.selected = item === null ? "" : graph.item(item).name ?? (graph.item(item).path || graph.item(item).label);
    explain(graph, view, item, side, goTo);
    if (plan) mark();
  }

  function setOpen(item, shall) {
    if (item < graph.count || item === graph.root || open.has(item) === shall) return;
    if (shall) open.add(item);
    else open.delete(item);
    redraw(item);
    if (selected !== null && !plan.boxes.has(selected)) choose(item);
    else choose(selected);
    reveal(item);
  }

  /** Open what an item is in, choose it, and look at it. */
  function goTo(item) {
    const closed = beneath(item).filter((group) => group !== graph.root && !open.has(group));
    closed.forEach((group) => open.add(group));
    if (closed.length) redraw(null);
    pointed = null;
    if (scale < READABLE) scale = READABLE;
    choose(item);
    centre(item);
  }

  function centre(item) {
    const box = plan.boxes.get(item);
    panX = svg.clientWidth / 2 - (box.left + box.width / 2) * scale;
    panY = svg.clientHeight / 2 - (box.top + Math.min(box.height, 200) / 2) * scale;
    reveal(item);
  }

  function toggleAside() {
    if (selected === null) return;
    if (aside.has(selected)) aside.delete(selected);
    else aside.add(selected);
    redraw(null);
    choose(selected);
    reveal(selected);
  }

  // Searching -------------------------------------------------------------------------------------
  let [hits, at] = [[], 0];

  function find() {
    const text = search.value.trim().toLowerCase();
    const score = (name) => (name.toLowerCase().endsWith(text) ? 0 : 1) + name.length / 1000;
    const items = text ? [
      ...graph.nodes.filter((node) => node.name.toLowerCase().includes(text) || node.type.toLowerCase() === text),
      ...graph.groups.filter((group) => group.path.toLowerCase().includes(text) && group.core < 0),
    ] : [];
    const name = (thing) => thing.name ?? thing.path;
    hits = items.sort((a, b) => score(name(a)) - score(name(b)));
    at = 0;
    matches = new Set(hits.map(({ id }) => {
      const closed = [id, ...beneath(id)].filter((item) => !plan.boxes.has(item) && item !== graph.root);
      return closed.length ? graph.parent[closed[closed.length - 1]] : id;
    }));
    list();
    mark();
  }

  function list() {
    found.replaceChildren();
    found.hidden = !search.value.trim();
    search.setAttribute("aria-expanded", String(!found.hidden));
    if (found.hidden) return;
    make(found, "li", { class: "tinytf-aside", role: "presentation" }, hits.length ? plural(hits.length, "hit") : "No name has that in it.");
    const start = Math.max(0, Math.min(at - 5, hits.length - MATCHES));
    hits.slice(start, start + MATCHES).forEach((thing, number) => {
      const isNow = start + number === at;
      const row = make(found, "li", { role: "option", "aria-selected": String(isNow), id: `tinytf-hit-${start + number}` }, thing.name ?? thing.path);
      make(row, "small", {}, thing.type ? ` ${thing.type}` : ` ${plural(thing.size, "op")}`);
      row.addEventListener("pointerdown", (event) => { event.preventDefault(); take(thing.id); });
      if (isNow) search.setAttribute("aria-activedescendant", row.id);
    });
  }

  function take(item) {
    goTo(item);
    find();
    found.hidden = true;
    root.focus({ preventScroll: true });
  }

  search.addEventListener("input", find);
  search.addEventListener("focus", list);
  search.addEventListener("blur", () => { found.hidden = true; });
  search.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && hits.length) {
      event.preventDefault();
      at = (at + step + hits.length) % hits.length;
      list();
    } else if (event.key === "Enter" && hits.length) take(hits[at].id);
    else if (event.key === "Escape") {
      search.value = "";
      find();
      root.focus({ preventScroll: true });
    } else return;
    event.stopPropagation();
  });

  // Keys and the mouse ----------------------------------------------------------------------------
  const topmost = (items) => [...items].filter((item) => plan.boxes.has(item))
    .sort((a, b) => plan.boxes.get(a).top - plan.boxes.get(b).top || plan.boxes.get(a).left - plan.boxes.get(b).left)[0];

  /** Along a line: of several, the end that is nearest. */
  function along(down) {
    if (selected === null) return choose(topmost(graph.item(graph.root).children));
    const ends = [...view.lines, ...view.beside]
      .filter((line) => (down ? line.up : line.down).includes(selected))
      .map((line) => (down ? line.target : line.source)).filter((item) => item !== selected);
    if (!ends.length) return undefined;
    const here = plan.boxes.get(selected);
    const far = (item) => Math.hypot(plan.boxes.get(item).left - here.left, plan.boxes.get(item).top - here.top) + (aside.has(item) ? 1e5 : 0);
    const next = ends.sort((a, b) => far(a) - far(b))[0];
    choose(next);
    return reveal(next);
  }

  function beside(step) {
    if (selected === null) return along(true);
    const middle = (item) => [plan.boxes.get(item).left + plan.boxes.get(item).width / 2, plan.boxes.get(item).top];
    const [x, y] = middle(selected);
    const far = (item) => Math.abs(middle(item)[0] - x) + 3 * Math.abs(middle(item)[1] - y);
    const siblings = graph.item(graph.parent[selected]).children;
    const next = siblings.filter((item) => (middle(item)[0] - x) * step > 1).sort((a, b) => far(a) - far(b))[0];
    choose(next ?? selected);
    return reveal(selected);
  }

  function enter() {
    if (selected === null || selected < graph.count) return;
    setOpen(selected, true);
    choose(topmost(graph.item(selected).children) ?? selected);
    reveal(selected);
  }

  function back() {
    if (selected === null) return;
    const group = open.has(selected) ? selected : graph.parent[selected];
    if (group === graph.root) return choose(null);
    choose(group);
    setOpen(group, false);
  }

  const actions = {
    ArrowDown: () => along(true), ArrowUp: () => along(false), ArrowRight: () => beside(1), ArrowLeft: () => beside(-1),
    Enter: enter, Escape: back, "/": () => search.focus({ preventScroll: true }), "+": () => zoom(1.25), "=": () => zoom(1.25),
    "-": () => zoom(1 / 1.25), 0: () => fit(SMALLEST), f: () => fit(SMALLEST),
    " ": () => selected !== null && setOpen(selected, !open.has(selected)),
  };
  root.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const escapes = event.key === "Escape" && selected === null;
    if (event.key !== "Tab" && !escapes) event.stopPropagation();
    const onButton = event.target.closest("button") && (event.key === "Enter" || event.key === " ");
    if (event.target === search || onButton || !actions[event.key]) return;
    event.preventDefault();
    pointed = null;
    actions[event.key]();
  });

  const itemAt = (event) => {
    const g = event.target.closest?.(".tinytf-node, .tinytf-title-of");
    return g ? Number(g.dataset.item) : null;
  };
  let drag = null;
  svg.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    drag = { x: event.clientX, y: event.clientY, panX, panY, moved: false };
  });
  svg.addEventListener("pointermove", (event) => {
    if (!drag) return;
    const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
    if (!drag.moved && Math.hypot(dx, dy) < 5) return;
    if (!drag.moved) svg.setPointerCapture(event.pointerId);
    drag.moved = true;
    [panX, panY] = [drag.panX + dx, drag.panY + dy];
    move();
  });
  const drop = (event) => {
    const wasMoved = drag?.moved;
    drag = null;
    if (event.type !== "pointerup" || wasMoved) return;
    root.focus({ preventScroll: true });
    const item = itemAt(event);
    choose(item);
    if (item !== null && event.target.closest(".tinytf-toggle")) setOpen(item, !open.has(item));
  };
  svg.addEventListener("pointerup", drop);
  svg.addEventListener("pointercancel", drop);
  svg.addEventListener("dblclick", (event) => {
    const item = itemAt(event);
    if (item !== null && !event.target.closest(".tinytf-toggle")) setOpen(item, !open.has(item));
  });
  svg.addEventListener("pointerover", (event) => {
    const item = itemAt(event);
    const line = event.target.closest?.(".tinytf-edge");
    if (line && !line.querySelector("title")) {
      const title = document.createElementNS("http://www.w3.org/2000/svg", "title");
      title.textContent = describeLine(graph, plan.lines[Number(line.dataset.line)]);
      line.prepend(title);
    }
    if (item === pointed || (item !== null && open.has(item))) return;
    pointed = item;
    explain(graph, view, pointed ?? selected, side, goTo);
    if (line && item === null) side.prepend(Object.assign(document.createElement("pre"), { className: "tinytf-line-words", textContent: describeLine(graph, plan.lines[Number(line.dataset.line)]) }));
    mark();
  });
  svg.addEventListener("pointerleave", () => {
    pointed = null;
    explain(graph, view, selected, side, goTo);
    mark();
  });
  svg.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey && document.fullscreenElement !== root) return; // the page scrolls
    event.preventDefault();
    const area = svg.getBoundingClientRect();
    zoom(Math.exp(-event.deltaY * 0.002), event.clientX - area.left, event.clientY - area.top);
  }, { passive: false });

  let wasSeen = false;
  root.addEventListener("fullscreenchange", () => { wasSeen = false; }); // fits the new size
  const observer = new ResizeObserver(() => {
    if (!svg.clientWidth) return;
    if (!wasSeen) fit(READABLE);
    else move();
    wasSeen = true;
  });
  redraw(null);
  choose(null);
  observer.observe(picture);
  return () => observer.disconnect();
}

export default { render };
