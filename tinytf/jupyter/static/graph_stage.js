// A graph in a frame: laid out, drawn and moved about; groups open and close. The graph view and the
// step player are built on it: they say what a box shows, and what a click means.

const SMALLEST = 0.12;
const LARGEST = 3;
const READABLE = 0.8; // a drawing that would be smaller goes on below, or, below TINY, at the sides
const TINY = 0.5;
const GLIDE = 220; // ms
const MOST_THREADS_DRAWN = 200;

const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/**
 * The frame, inside `parent`.
 *
 * Options: `open`, `aside` (sets of items); `label`; `largest`, the scale at which a small graph is
 * shown; `readable`, the smallest at which there is something to read; `least` and `most()`, the height in px. And what is called: `drawn()` after a drawing,
 * `moved(sides)` with the sides at which it goes on, `clicked(item)`, `pointed(item, line)`.
 */
export function makeStage(parent, graph, options) {
  const { open, aside, largest = 1.1, readable = READABLE, least = 0, most = () => Math.min(680, 0.74 * innerHeight) } = options;
  const call = (name, ...values) => options[name]?.(...values);
  let [plan, view, wayOf] = [null, null, null];
  let isAcross = false;
  let [scale, panX, panY] = [1, 0, 0];
  let transform = "";
  const boxes = new Map(); // item -> its <g>
  let edges = []; // line -> its <g>
  parent.innerHTML = `<svg class="tinytf-graph" role="img" aria-label="${escapeText(options.label)}">${patterns()}<g class="tinytf-world"></g></svg>`;
  const svg = parent.querySelector("svg");
  const world = parent.querySelector(".tinytf-world");
  const map = makeMap(options.mapIn ?? parent, (x, y) => {
    [panX, panY] = [svg.clientWidth / 2 - x * scale, svg.clientHeight / 2 - y * scale];
    move();
  });
  const beneath = (item) => above(graph, item);
  const isFull = () => Boolean(document.fullscreenElement?.contains(parent));

  // Drawing ---------------------------------------------------------------------------------------

  const lay = (across) => layOut(graph, open, aside, view, (item) => sizeOf(graph, item), across);

  /** Whether data should flow to the right here: a page is wide, so if all of it can be read then. */
  function shouldBeAcross() {
    const [across, down] = [true, false].map((way) => scaleOf(lay(way), readable));
    return across >= Math.min(down, READABLE);
  }

  function redraw(anchor = null) {
    const before = anchor === null ? null : plan.boxes.get(anchor);
    const old = plan?.boxes;
    view = viewOf(graph, open, aside);
    plan = lay(isAcross);
    draw();
    const after = anchor === null ? null : plan.boxes.get(anchor);
    if (before && after) {
      panX += (before.left + before.width / 2 - after.left - after.width / 2) * scale;
      panY += (before.top - after.top) * scale;
      setHeight();
      const [w, h] = [svg.clientWidth, svg.clientHeight]; // what fits is in the middle
      if (plan.width * scale <= w) panX = (w - plan.width * scale) / 2;
      if (plan.height * scale <= h) panY = (h - plan.height * scale) / 2;
    }
    finish(old);
  }
  /** When the frame got wider or narrower. */
  function turn() {
    if (shouldBeAcross() === isAcross) return;
    isAcross = !isAcross;
    plan = lay(isAcross);
    draw();
    finish(null);
  }
  function finish(old) {
    map.draw(plan, open);
    move();
    glide(old);
    call("drawn");
  }

  function draw() {
    const stubs = new Map();
    for (const line of view.beside) {
      for (const item of [line.source, line.target]) {
        const isAside = [item, ...beneath(item)].some((at) => aside.has(at));
        if (!isAside) stubs.set(item, (stubs.get(item) ?? 0) + line.edges.length);
      }
    }
    const [frames, closed] = [[], []];
    for (const [item, box] of plan.boxes) {
      const isOpen = open.has(item);
      const depth = beneath(item).length;
      (isOpen ? frames : closed).push([depth, drawBox(graph, item, box, {
        isOpen, depth, isAside: aside.has(item), stubs: isOpen ? 0 : stubs.get(item) ?? 0,
      })]);
    }
    frames.sort((a, b) => a[0] - b[0]);
    const columns = plan.asides.map(({ left, top, width, height }) => `<g class="tinytf-aside-column"><path d="M${n1(left)} ${n1(top)}${width ? `h${n1(width)}` : `v${n1(height)}`}"/>` +
      `<text x="${n1(left + (width ? 0 : 12))}" y="${n1(top + (width ? 18 : 12))}">set aside</text></g>`);
    const titles = [...plan.boxes].filter(([item]) => open.has(item)).map(([item, box]) => drawTitle(graph, item, box));
    world.innerHTML = [
      ...frames.map(([, text]) => text), ...columns, ...plan.lines.map((line, at) => drawLine(graph, line, at, plan.across)),
      ...titles, ...closed.map(([, text]) => text), `<g class="tinytf-flows">${drawLabels(graph, plan.lines, plan.boxes, open)}</g>`,
      '<g class="tinytf-strands"></g><g class="tinytf-tokens" aria-hidden="true"></g>',
    ].join("");
    boxes.clear();
    for (const g of world.querySelectorAll(".tinytf-node")) boxes.set(Number(g.dataset.item), g);
    edges = [...world.querySelectorAll(".tinytf-edge")];
    wayOf = waysOfEdges();
  }

  /** Boxes that were there before glide to their new places. */
  function glide(old) {
    if (!old || plan.boxes.size > 150 || still()) return;
    for (const g of world.querySelectorAll(".tinytf-edge, .tinytf-flows")) g.animate({ opacity: [0, 1] }, GLIDE);
    for (const [item, g] of boxes) {
      const [from, to] = [old.get(item), plan.boxes.get(item)];
      if (!from) g.animate({ opacity: [0, 1] }, GLIDE);
      if (!from || open.has(item) || (Math.abs(from.left - to.left) < 1 && Math.abs(from.top - to.top) < 1)) continue;
      const at = ({ left, top }) => ({ transform: `translate(${left}px, ${top}px)` });
      g.animate([at({ left: to.left + (from.left - to.left) * 0.35, top: to.top + (from.top - to.top) * 0.35 }), at(to)], { duration: GLIDE, easing: "ease-out" });
    }
  }

  /** The lines that each edge runs along, in order: out of groups, across, into groups. */
  function waysOfEdges() {
    const found = new Map();
    const ranks = plan.lines.map(({ group, from, to }) => {
      const depth = beneath(group).length;
      return to === "out" ? -depth - 1 : from === "in" ? depth + 1 : 0;
    });
    const inOrder = [...ranks.keys()].sort((one, other) => ranks[one] - ranks[other]);
    for (const at of inOrder) {
      for (const edge of plan.lines[at].edges) {
        if (found.has(edge)) found.get(edge).push(at);
        else found.set(edge, [at]);
      }
    }
    return found;
  }

  /** The way between two boxes for which no line is drawn: one of them is set aside. */
  function threadBetween(source, target) {
    const [a, b] = [plan.boxes.get(source), plan.boxes.get(target)];
    if (plan.across) { // what is set aside is below
      const [x0, y0, x1, y1] = [a.left + a.width / 2, a.top + (a.top < b.top ? a.height : 0), b.left + b.width / 2, b.top + (a.top < b.top ? 0 : b.height)];
      return `M${n1(x0)} ${n1(y0)}C${n1(x0)} ${n1((y0 + y1) / 2)} ${n1(x1)} ${n1((y0 + y1) / 2)} ${n1(x1)} ${n1(y1)}`;
    }
    const side = a.left < b.left ? 1 : -1; // it leaves at the side that the other is at
    const [x0, y0] = [side > 0 ? a.left + a.width : a.left, a.top + a.height / 2];
    const [x1, y1] = [side > 0 ? b.left : b.left + b.width, b.top + b.height / 2];
    const bend = side * Math.max(30, Math.abs(x1 - x0) / 2);
    return `M${n1(x0)} ${n1(y0)}C${n1(x0 + bend)} ${n1(y0)} ${n1(x1 - bend)} ${n1(y1)} ${n1(x1)} ${n1(y1)}`;
  }
  /** Draw such ways: [[source, target]]; gives the paths. */
  function drawThreads(pairs) {
    const holder = world.querySelector(".tinytf-strands");
    holder.innerHTML = pairs.slice(0, MOST_THREADS_DRAWN).map((pair) => `<path d="${threadBetween(...pair)}"/>`).join("");
    return [...holder.children];
  }

  // Moving ----------------------------------------------------------------------------------------

  /** Put the drawing where `panX`, `panY` and `scale` say; at a walking pace if it may. */
  function move(isSmooth = false) {
    world.setAttribute("transform", `translate(${n1(panX)} ${n1(panY)}) scale(${scale.toFixed(4)})`);
    const last = transform;
    transform = `translate(${n1(panX)}px, ${n1(panY)}px) scale(${scale.toFixed(4)})`;
    if (isSmooth && last && last !== transform && !still()) {
      world.animate([{ transform: last }, { transform }], { duration: 320, easing: "ease-in-out" });
    }
    const [w, h] = [svg.clientWidth, svg.clientHeight];
    map.frame(-panX / scale, -panY / scale, w / scale, h / scale, plan);
    call("moved", [
      panY < -20 && "above ↑", panY + plan.height * scale > h + 20 && "below ↓",
      panX < -20 && "to the left ←", panX + plan.width * scale > w + 20 && "to the right →",
    ].filter(Boolean));
  }

  const roomAbove = () => (isFull() ? svg.clientHeight : most());
  function scaleOf({ width, height }, smallest) {
    const [across, down] = [(svg.clientWidth - 16) / width, (roomAbove() - 16) / height];
    const found = smallest < TINY ? Math.min(across, down) : Math.max(TINY, Math.min(across, Math.max(smallest, down)));
    return Math.max(SMALLEST, Math.min(isFull() ? 2 : largest, found));
  }

  /** The frame is as high as the drawing, and no higher. */
  function setHeight() {
    const height = Math.max(least, Math.min(most(), plan.height * scale + 20));
    parent.style.height = isFull() ? "" : `${Math.round(height)}px`;
  }

  function fit(smallest = readable) {
    if (!svg.clientWidth) return;
    scale = scaleOf(plan, smallest);
    setHeight();
    const [w, h] = [svg.clientWidth, svg.clientHeight];
    panX = plan.width * scale <= w ? (w - plan.width * scale) / 2 : 8;
    panY = Math.max(6, (h - plan.height * scale) / 2);
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
  function reveal(item, isSmooth = false) {
    const box = plan.boxes.get(item);
    const [w, h] = [svg.clientWidth, svg.clientHeight];
    if (!box || !w) return;
    const [x, y] = [panX, panY];
    if (!isSmooth) scale = Math.min(scale, Math.max(w / (box.width + 30), Math.min(scale, 0.6)), Math.max(h / (box.height + 30), Math.min(scale, READABLE)));
    const room = isSmooth ? Math.min(90, w / 5, h / 5) : 12;
    const [left, top] = [panX + box.left * scale, panY + box.top * scale];
    const [right, bottom] = [left + box.width * scale, top + box.height * scale];
    if (right > w - 12) panX -= right - w + room;
    if (left < 12 || box.width * scale > w - 24) panX = room - box.left * scale;
    if (bottom > h - 12) panY -= bottom - h + room;
    if (panY + box.top * scale < 12) panY = 12 - box.top * scale;
    if (!isSmooth || x !== panX || y !== panY) move(isSmooth);
  }

  function centre(item) {
    const box = plan.boxes.get(item);
    panX = svg.clientWidth / 2 - (box.left + box.width / 2) * scale;
    panY = svg.clientHeight / 2 - (box.top + Math.min(box.height, 200) / 2) * scale;
    reveal(item);
  }

  // Opening ---------------------------------------------------------------------------------------

  /** Whether it was not as it shall be. */
  function setOpen(item, shall) {
    if (item < graph.count || item === graph.root || open.has(item) === shall) return false;
    if (shall) open.add(item);
    else open.delete(item);
    redraw(item);
    return true;
  }
  /** Open what an item is in, and look at it. */
  function goTo(item) {
    const closed = beneath(item).filter((group) => group !== graph.root && !open.has(group));
    closed.forEach((group) => open.add(group));
    if (closed.length) redraw();
    if (scale < READABLE) scale = READABLE;
    setHeight();
    centre(item);
  }
  /** The box that an item is in, or is. */
  function shownAs(item) {
    const closed = [item, ...beneath(item)].filter((at) => !plan.boxes.has(at) && at !== graph.root);
    return closed.length ? graph.parent[closed[closed.length - 1]] : item;
  }

  // The mouse -------------------------------------------------------------------------------------

  const itemAt = (event) => {
    const g = event.target.closest?.(".tinytf-node, .tinytf-title-of");
    return g ? Number(g.dataset.item) : null;
  };
  let drag = null;
  svg.addEventListener("pointerdown", (event) => {
    if (event.button === 0) drag = { x: event.clientX, y: event.clientY, panX, panY, moved: false };
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
    const item = itemAt(event);
    const isToggle = event.target.closest(".tinytf-toggle");
    call("clicked", item, Boolean(isToggle));
    if (item !== null && isToggle) call("toggled", item);
  };
  svg.addEventListener("pointerup", drop);
  svg.addEventListener("pointercancel", drop);
  svg.addEventListener("dblclick", (event) => {
    const item = itemAt(event);
    if (item !== null && item >= graph.count && !event.target.closest(".tinytf-toggle")) call("toggled", item);
  });
  svg.addEventListener("pointerover", (event) => {
    const line = event.target.closest?.(".tinytf-edge");
    call("pointed", itemAt(event), line ? plan.lines[Number(line.dataset.line)] : null, line);
  });
  svg.addEventListener("pointerleave", () => call("pointed", null, null, null));
  svg.addEventListener("wheel", (event) => {
    if (!event.ctrlKey && !event.metaKey && !isFull()) return; // the page scrolls
    event.preventDefault();
    const area = svg.getBoundingClientRect();
    zoom(Math.exp(-event.deltaY * 0.002), event.clientX - area.left, event.clientY - area.top);
  }, { passive: false });

  let seen = ""; // for which width it was fitted
  const observer = new ResizeObserver(() => {
    if (!svg.clientWidth) return;
    const now = `${svg.clientWidth} ${isFull()}`;
    if (seen !== now) {
      seen = now;
      turn();
      fit();
    } else move();
  });
  return {
    svg, world, boxes, open, aside,
    get plan() { return plan; },
    get view() { return view; },
    get scale() { return scale; },
    get edges() { return edges; },
    redraw, fit, zoom, reveal, setOpen, goTo, shownAs, drawThreads,
    wayOfEdge: (edge) => wayOf.get(edge) ?? [],
    start: () => { redraw(); observer.observe(parent); },
    dispose: () => observer.disconnect(),
  };
}
