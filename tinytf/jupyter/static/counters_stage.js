// The picture of a running step, the queue and the values beside it.

const FEW = 40; // operations are drawn one by one; more are grouped by their name scopes
const MOST_QUEUED = 8;
const MOST_VALUES = 4;

/** The end of a long name: what its scopes have in common is less telling. */
function ending(name, most) {
  if (name.length <= most) return name;
  const parts = name.split("/");
  let text = parts.pop();
  while (parts.length && parts.at(-1).length + text.length + 3 <= most) text = `${parts.pop()}/${text}`;
  return shorten(parts.length ? `…/${text}` : text, most);
}

/** A small graph without groups; names in full, as far as they fit. */
function arranged(content) {
  const count = content.nodes.length;
  const labelled = content.nodes.map(([name], id) => [id, ending(name.replace("feed of ", "").replace(/:0$/, ""), 22)]);
  if (count > FEW) return { ...content, labels: [...content.labels, ...labelled.filter(([id]) => content.nodes[id][0].startsWith("feed of "))] };
  return {
    ...content, labels: labelled, groups: [["", "scope", -1, "", ""]], parent: [...new Array(count).fill(count), -1], open: [], aside: [],
  };
}

/** The stage, inside `root`. `picked(name)`: a click on a box; `chosen(name)`: a search went there. */
function makeCountersStage(trace, root, { picked, pointed, opened }) {
  const bar = make(root, "div", { class: "tinytf-controls tinytf-top" });
  const area = make(root, "div", { class: "tinytf-stage" });
  const picture = make(area, "div", { class: "tinytf-picture" });
  const side = make(area, "div", { class: "tinytf-side" });
  make(side, "div", { class: "tinytf-heading tinytf-values-title" }, "Values");
  const values = make(side, "dl", { class: "tinytf-values", "aria-label": "The latest values" });
  const heading = make(side, "div", { class: "tinytf-heading" }, "Ready queue");
  const queue = make(side, "ol", { class: "tinytf-queue", "aria-label": "Ready queue" });
  const more = make(side, "p", { class: "tinytf-more", "aria-hidden": "true" });
  queue.style.setProperty("--rows", Math.min(MOST_QUEUED, longestQueue(trace)));
  values.style.setProperty("--rows", Math.min(MOST_VALUES, trace.events.filter((event) => event.values.length).length));
  const shared = { bar, heading, queue, values, more };
  if (!trace.graph) {
    picture.hidden = true;
    const nothing = () => {};
    return {
      ...shared, isDrawn: false, paint: nothing, select: nothing, follow: nothing, tokens: () => [], boxOf: () => null, visible: () => [],
      describe: () => "", key: () => false, start: nothing, dispose: nothing, motion: { isOn: () => false, stop: nothing },
    };
  }

  const graph = prepare(arranged(trace.graph));
  graph.hasCounters = true;
  const place = new Map(trace.names.map((name, n) => [name, n]));
  const indexOf = graph.nodes.map((node) => place.get(node.name) ?? -1); // -1: a fed value
  const itemOf = new Map(graph.nodes.map((node) => [node.name, node.id]));
  for (const group of graph.groups) if (!itemOf.has(group.path || group.label)) itemOf.set(group.path || group.label, group.id);
  const nameOf = (item) => (item < graph.count ? graph.nodes[item].name : graph.item(item).path || graph.item(item).label);
  const members = new Map();
  const membersOf = (item) => {
    if (!members.has(item)) {
      const inside = item < graph.count ? [indexOf[item]] : graph.item(item).children.flatMap(membersOf);
      members.set(item, inside.filter((n) => n >= 0));
    }
    return members.get(item);
  };
  let [nodes, current, fires, selected] = [[], null, false, null];
  let painted = [];
  let matches = new Set();
  const lit = new Set(); // the <g>s of what an event is about

  const stage = makeStage(picture, graph, {
    open: new Set(graph.open), aside: new Set(graph.aside), label: `The graph of the step: ${plural(trace.names.length, "operation")}`, largest: 1.4, readable: 0.7,
    most: () => Math.min(600, 0.68 * innerHeight),
    drawn() {
      painted = [];
      lit.clear();
      motion?.stop();
      motion?.forget();
      repaint();
      mark();
    },
    moved: (sides) => { more.textContent = sides.length ? `The drawing goes on ${sides.join(", ")}: drag it.` : ""; },
    clicked: (item, isToggle) => {
      root.focus({ preventScroll: true });
      if (!isToggle) picked(item === null ? null : nameOf(item));
    },
    toggled: (item) => toggle(item, !stage.open.has(item)),
    pointed: (item) => pointed(item === null ? null : nameOf(item)),
  });
  const motion = makeMotion(stage);

  /** Nodes as `stateAt` gives them; `current`: the one an event is about. What changed is drawn. */
  function paint(given, name, isFired) {
    [nodes, current, fires] = [given, name, isFired];
    return repaint();
  }
  function repaint() {
    const groups = new Set();
    const changed = []; // the boxes of nodes whose counter went down
    graph.nodes.forEach(({ id }) => {
      const n = indexOf[id];
      const { count, state, note } = n < 0 ? { count: 0, state: "fed", note: "" } : nodes[n] ?? {};
      if (state === undefined) return;
      const before = painted[id];
      if (before && before.count === count && before.state === state && before.note === note) return;
      painted[id] = { count, state, note };
      const as = stage.view.shown[id];
      if (as !== id) return void groups.add(as);
      const g = stage.boxes.get(id);
      Object.assign(g.dataset, { count, state });
      g.querySelector(".tinytf-count").textContent = BADGES[state] ?? count;
      g.querySelector(".tinytf-note").textContent = iterationMark(note);
      if (before && count < before.count) changed.push(g);
    });
    groups.forEach(paintGroup);
    for (const g of lit) delete g.dataset.current;
    lit.clear();
    const item = itemOf.get(current);
    if (item !== undefined) lit.add(stage.boxes.get(stage.shownAs(item)));
    if (item !== undefined && fires) linesFrom(item).flat().forEach((line) => lit.add(stage.edges[line]));
    for (const g of lit) g.dataset.current = "true";
    return changed;
  }
  function tallyOf(item) {
    const found = { waiting: 0, ready: 0, done: 0 };
    for (const n of membersOf(item)) {
      const state = nodes[n]?.state ?? "waiting";
      found[state === "waiting" || state === "blocked" ? "waiting" : state === "ready" || state === "running" ? "ready" : "done"] += 1;
    }
    return found;
  }
  function paintGroup(item) {
    const g = stage.boxes.get(item);
    const { waiting, ready, done } = tallyOf(item);
    const total = Math.max(1, waiting + ready + done);
    g.dataset.state = ready ? "ready" : waiting ? "waiting" : "done";
    Object.assign(g.dataset, { waiting, ready, done });
    g.querySelector(":scope > .tinytf-kind").textContent = tally(waiting, ready, done);
    const all = Number(g.querySelector(".tinytf-bar-all").getAttribute("width"));
    const [over, active] = [".tinytf-bar-done", ".tinytf-bar-ready"].map((part) => g.querySelector(part));
    over.setAttribute("width", n1((all * done) / total));
    active.setAttribute("x", n1(10 + (all * done) / total));
    active.setAttribute("width", n1((all * ready) / total));
  }
  const linesFrom = (item) => graph.out[item]?.map(stage.wayOfEdge) ?? [];

  /** What flies along the edges when an event's node has ended. */
  function tokens(event) {
    const item = itemOf.get(trace.names[event.node]);
    const changed = new Set(event.changes.map(([n]) => n));
    return (graph.out[item] ?? []).map((number) => graph.edges[number])
      .map((edge, at) => ({ edge, lines: stage.wayOfEdge(graph.out[item][at]), ends: [edge.source, edge.target].map((id) => stage.view.shown[id]) }))
      .filter(({ edge }) => changed.has(indexOf[edge.target]))
      .map(({ edge, lines, ends }) => ({ lines, ends, isControl: edge.output < 0 || event.kind === "skip", text: edge.output < 0 || event.kind === "skip" ? "" : tokenText(event.values, edge.output) }));
  }

  function toggle(item, shall) {
    if (item < graph.count || !stage.setOpen(item, shall)) return;
    if (selected !== null && !stage.boxes.has(selected)) selected = item;
    mark();
    stage.reveal(item);
    opened();
  }
  function mark() {
    for (const [item, g] of stage.boxes) {
      g.toggleAttribute("data-match", matches.has(item));
      if (item === selected) g.dataset.selected = "true";
      else delete g.dataset.selected;
    }
  }
  function select(name, isLooking = true) {
    const item = name === null ? undefined : itemOf.get(name);
    selected = item === undefined ? null : stage.shownAs(item);
    mark();
    if (selected !== null && isLooking) stage.reveal(selected, true);
  }
  function describeGroup(name) {
    const item = itemOf.get(name);
    if (item === undefined || item < graph.count) return "";
    const { waiting, ready, done } = tallyOf(item);
    return `${name} holds ${plural(membersOf(item).length, "operation")}: ${tally(waiting, ready, done)}. ${stage.open.has(item) ? "Enter or − closes" : "Enter or + opens"} it.`;
  }
  /** What can be gone through with the arrow keys, in the order in which it can run. */
  const visible = () => [...stage.boxes.keys()].filter((item) => membersOf(item).length && !stage.open.has(item))
    .sort((a, b) => Math.min(...membersOf(a)) - Math.min(...membersOf(b))).map(nameOf);

  const isGrouped = graph.groups.length > 1;
  const leave = () => root.focus({ preventScroll: true });
  const search = makeSearch(bar, graph, {
    marked(items) {
      matches = new Set(items.map(stage.shownAs));
      mark();
    },
    take(item) {
      stage.goTo(item);
      picked(nameOf(item), true);
    },
    leave,
  });
  search.input.parentElement.hidden = graph.count < 12;
  const button = (label, title, act) => {
    const made = make(bar, "button", { type: "button", title, "aria-label": title }, label);
    made.addEventListener("click", act);
  };
  if (graph.count >= 12) {
    button("−", "Zoom out (minus)", () => stage.zoom(1 / 1.25));
    button("+", "Zoom in (plus)", () => stage.zoom(1.25));
    button("Fit", "Show everything (0)", () => stage.fit(SMALLEST));
  }
  const keys = {
    "+": () => stage.zoom(1.25), "=": () => stage.zoom(1.25), "-": () => stage.zoom(1 / 1.25), 0: () => stage.fit(SMALLEST), "/": search.focus,
    Escape: () => selected !== null && toggle(stage.open.has(selected) ? selected : graph.parent[selected], false),
  };
  /** Keys for the drawing; whether it was one. */
  function key(pressed) {
    const isGroup = selected !== null && selected >= graph.count;
    if (pressed === "Enter" && isGroup && isGrouped) toggle(selected, !stage.open.has(selected));
    else if (keys[pressed] && (pressed !== "Escape" || isGrouped)) keys[pressed]();
    else return false;
    return true;
  }
  return {
    ...shared, isDrawn: true, paint, select, tokens, visible, motion, key, describe: describeGroup,
    boxOf: (name) => stage.boxes.get(stage.shownAs(itemOf.get(name))),
    follow: (name) => itemOf.has(name) && stage.reveal(stage.shownAs(itemOf.get(name)), true),
    start: stage.start, dispose: stage.dispose,
  };
}

/** How many entries the ready queue has at most. */
function longestQueue(trace) {
  let [now, most] = [0, 1];
  for (const event of trace.events) {
    if (["run", "skip", "take", "block", "fail"].includes(event.kind)) now = Math.max(0, now - 1);
    now += event.ready.length;
    most = Math.max(most, now);
  }
  return most;
}
