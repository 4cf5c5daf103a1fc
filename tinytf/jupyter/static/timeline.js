// A timeline of traced steps that is zoomed and moved as Perfetto's is. All boxes come once, in
// columns, from tinytf/jupyter/timeline_widget.py; then it needs neither Python nor a session.

const NEAR = 5; // pixels: so far beside a small box it can still be hit
const DRAGGED = 4; // pixels: a click moves less
const KEYS = [
  ["w", "s", "zoom"], ["a", "d", "move"], ["0", "show all"], ["← → ↑ ↓", "from box to box"], ["f", "zoom to it"],
  ["drag", "zoom to a part"], ["Shift", "drag", "move"], ["Ctrl", "wheel", "zoom"],
];

/** What is told of a box, in a sentence and in rows: [why, [title, text]...]. */
function makeTeller(content, place, takers) {
  const { boxes, nodes, notes, groups } = content;
  const nodeOf = (n) => nodes[boxes.node[n]];
  const endOf = (n) => boxes.start[n] + boxes.length[n];
  const senderOf = new Map(content.arrows.map(([source, target]) => [target, source]));

  /** What its thread did meanwhile, if it was busy: the box that took longest. */
  function before(n, ready) {
    const [from, to] = [place().startOf(n) - boxes.start[n] + ready, place().startOf(n)];
    const { ids, starts, ends } = place().rows[place().row[n]].tracks[0];
    let found = -1;
    for (let i = firstWhere(0, ids.length, (j) => ends[j] > from); i < ids.length && starts[i] < to; i += 1) {
      if (ids[i] !== n && ends[i] <= to && (found < 0 || ends[i] - starts[i] > boxes.length[found])) found = ids[i];
    }
    return found;
  }
  /** Why a box did not start sooner. */
  function why(n) {
    const node = nodeOf(n);
    if (node.kind === "shard") return "A shard: a part of a kernel that several threads share.";
    if (senderOf.has(n)) {
      const source = senderOf.get(n);
      return `It receives what ${nodeOf(source).name} sent: that was sent at +${duration(endOf(source))} and was here at +${duration(endOf(n))}.`;
    }
    const waited = boxes.waited[n];
    if (waited < 0) return node.kind === "kernel" ? "What the GPU's own stream has seen of it." : "The trace does not tell when it became ready.";
    const ready = boxes.start[n] - waited;
    const last = boxes.sources[n].reduce((late, source) => (late < 0 || endOf(source) > endOf(late) ? source : late), -1);
    const began = node.inputs.length ? `Its inputs were there at +${duration(ready)}` : "It needs no inputs";
    const because = last < 0 ? began : `Its last input came from ${nodeOf(last).name}, at +${duration(endOf(last))}`;
    if (waited < 1000) return `${because}; it started as soon as it was ready.`;
    const other = before(n, ready);
    const ran = other < 0 ? "" : boxes.many[other] > 1 ? `${boxes.many[other]} short operations` : nodeOf(other).name;
    const till = other < 0 ? "for a thread to take it" : `while this thread ran ${ran}, until +${duration(endOf(other))}`;
    return `${because}. Then it waited ${duration(waited)} ${till}.`;
  }
  function facts(n) {
    const node = nodeOf(n);
    const group = groups[boxes.group[n]];
    const [start, waited] = [boxes.start[n], boxes.waited[n]];
    const several = content.lengths.length > 1 ? `, in step ${boxes.step[n] + 1}` : "";
    return [
      ["ran on", `${group.title}, ${group.lanes[boxes.lane[n]][0]}${several}`],
      ["ready", waited < 0 ? "" : `+${duration(start - waited)} after the step began`],
      ["started", `+${duration(start)}${waited < 0 ? "" : `, having waited ${duration(waited)}`}`],
      ["ended", `+${duration(endOf(n))}, having run ${duration(boxes.length[n])}`],
      ["inputs", node.inputs.join(", ")],
      ["outputs", node.made.join("; ")],
      ["route", node.route],
      ["built in", node.line],
    ].filter(([, text]) => text);
  }
  /** Other runs that belong to one: who gave to it, who took from it, its parts, its other end. */
  function related(n) {
    const found = [...boxes.sources[n], ...(takers.get(n) ?? [])];
    for (const [source, target] of content.arrows) {
      if (source === n) found.push(target);
      if (target === n) found.push(source);
    }
    const isPool = (m) => groups[boxes.group[m]].pool;
    for (let m = 0; m < boxes.node.length; m += 1) {
      if (m === n || boxes.step[m] !== boxes.step[n] || nodeOf(m).name !== nodeOf(n).name) continue;
      const [shard, whole] = isPool(n) ? [n, m] : [m, n];
      if (!isPool(shard)) continue;
      if (isPool(whole) || (boxes.start[shard] >= boxes.start[whole] && boxes.start[shard] <= endOf(whole))) found.push(m);
    }
    return found;
  }
  const title = (n) => {
    const note = notes[boxes.note[n]];
    return `${nodeOf(n).name} (${nodeOf(n).op})${note ? `, ${note}` : ""}`;
  };
  return { why, facts, related, title, nodeOf };
}

/** What the colours mean, under the drawing. */
function showKey(parent, key) {
  const line = make(parent, "div", { class: "tinytf-meanings" });
  for (const [what, meaning] of Object.entries(key)) {
    const item = make(line, "span", { "data-of": what });
    const shape = what === "sent" ? '<path class="tinytf-sent" d="M0 6H14"/><path class="tinytf-sent-head" d="M19 6l-7 -3.5v7z"/>'
      : '<rect x="1" y="1" width="18" height="10" rx="2"/>';
    item.innerHTML = `<svg class="tinytf-times" width="20" height="12" aria-hidden="true"><g data-kind="${what}" data-what="${what}">${shape}</g></svg>`;
    item.append(meaning);
  }
}

function render({ model, el }) {
  const content = model.get("content");
  const { boxes } = content;
  const count = boxes.node.length;
  const total = boxes.many.reduce((a, b) => a + b, 0);
  const takers = new Map();
  boxes.sources.forEach((sources, n) => {
    for (const source of sources) takers.has(source) ? takers.get(source).push(n) : takers.set(source, [n]);
  });
  let isAligned = false;
  let place = null;
  let view = null; // what is drawn
  let goal = null; // where it moves to
  let busy = null;
  let shown = []; // rows and marks of the last drawing
  let pointed = -1;
  let drag = null; // {kind, at, x, from, to}
  let now = null; // of the shared clock
  let mouse = null; // where the keys zoom to, in ns
  let scheduled = 0;
  let last = 0;
  const teller = makeTeller(content, () => place, takers);

  const root = make(el, "div", {
    class: "tinytf-view tinytf-timeline", tabindex: "0", role: "group",
    "aria-label": `${content.headline} Left and right arrow: another operation of the row. Up and down arrow: another row. ` +
      "W and S: zoom. A and D: move. F: zoom to the operation. 0: all of it.",
    "data-lm-suppress-shortcuts": "true", // keys are for the widget, not for the notebook
  });
  const controls = make(root, "div", { class: "tinytf-controls" });
  const button = (name, label, title, action) => {
    const made = make(controls, "button", { class: `tinytf-${name}`, type: "button", title, "aria-label": title }, label);
    made.addEventListener("click", action);
    return made;
  };
  const closer = button("closer", "+", "Zoom in (w)", () => zoom(0.5));
  const farther = button("farther", "−", "Zoom out (s)", () => zoom(2));
  const earlier = button("earlier", "◀", "Back in time (a)", () => move(-0.4));
  const later = button("later", "▶", "On in time (d)", () => move(0.4));
  const all = button("fit", "Show all", "Show all of it (0, or a double click)", () => fit());
  if (content.lengths.length > 1) {
    const label = make(controls, "label", {}, "Steps ");
    const choice = make(label, "select", { class: "tinytf-steps" });
    for (const name of ["one after another", "aligned"]) make(choice, "option", { value: name }, name);
    choice.addEventListener("change", () => {
      isAligned = choice.value === "aligned";
      root.dataset.aligned = String(isAligned);
      arrange();
    });
  }
  const range = make(controls, "span", { class: "tinytf-range" });
  const chart = make(root, "div", { class: "tinytf-chart" });
  chart.innerHTML = '<svg class="tinytf-times tinytf-head" aria-hidden="true"></svg><div class="tinytf-window"><svg class="tinytf-times" role="img">' +
    '<g class="tinytf-behind"></g><g class="tinytf-given-lines"></g><g class="tinytf-lanes"></g><g class="tinytf-names"></g><g class="tinytf-over"></g></svg></div>';
  const [head, frame] = chart.children;
  const drawing = frame.firstElementChild;
  drawing.setAttribute("aria-label", content.headline);
  const [behind, given, lanes, names, over] = drawing.children;
  const more = make(root, "p", { class: "tinytf-aside tinytf-more", "aria-hidden": "true" });
  const below = make(root, "div", { class: "tinytf-below" });
  const notes = make(below, "div");
  showKey(notes, content.key);
  const hint = make(notes, "p", { class: "tinytf-aside tinytf-hint" });
  for (const keys of KEYS) {
    const item = make(hint, "span");
    keys.slice(0, -1).forEach((key) => make(item, "kbd", {}, key));
    item.append(keys.at(-1));
  }
  const told = make(below, "div", { class: "tinytf-told", "aria-live": "polite" });
  if (content.cut) make(notes, "p", { class: "tinytf-aside tinytf-cut" }, content.cut);
  make(notes, "p", { class: "tinytf-aside" }, `${content.headline} ${content.remark}`);
  if (content.clocks) make(notes, "p", { class: "tinytf-aside tinytf-clocks" }, `⚠ ${content.clocks}`);
  const listed = make(root, "details", { class: "tinytf-listed" });
  make(listed, "summary", {}, "What ran where");
  make(listed, "pre", { tabindex: "0" }, content.text);

  // Drawing ---------------------------------------------------------------------------------------

  const pen = () => makePen(content, place, view);

  function draw() {
    const began = performance.now();
    const ink = pen();
    const [top, bottom] = [frame.scrollTop - ROW, frame.scrollTop + (frame.clientHeight || place.height) + ROW];
    shown = inSight(place, content, view, top, bottom);
    const [lines, texts] = ink.axis();
    const arrows = [];
    for (const [source, target] of content.arrows) {
      if (arrows.length >= MOST_ARROWS) break;
      if (place.endOf(source) > view.to * 1.1 || place.endOf(target) < view.from) continue;
      arrows.push(ink.arrow(source, target, "sent"));
    }
    const depths = place.groups.map((group, g) => (group.most && group.queue <= bottom && group.queue + QUEUE >= top ? ink.queue(g, group) : ""));
    behind.innerHTML = lines + arrows.join("") + depths.join("");
    const { text, seen, drawn, isCrowded } = ink.rows(shown);
    root.querySelector('.tinytf-meanings [data-of="many"]').hidden = !isCrowded;
    lanes.innerHTML = text;
    head.innerHTML = texts + ink.overview(busy) + (place.isNarrow ? "" : `<text class="tinytf-thread" x="12" y="16">all of it</text>`);
    drawOver();
    Object.assign(root.dataset, { from: Math.round(view.from), to: Math.round(view.to), drawn, seen, boxes: total, milliseconds: (performance.now() - began).toFixed(1) });
    range.textContent = `${duration(view.to - view.from)} of ${duration(place.total)}`;
    const isWhole = view.from <= 0 && view.to >= place.total;
    all.disabled = farther.disabled = isWhole;
    earlier.disabled = view.from <= 0;
    later.disabled = view.to >= place.total;
    closer.disabled = view.to - view.from <= SMALLEST;
  }

  /** What is chosen or pointed at, on top of the boxes; and what it has to do with others, below. */
  function drawOver() {
    const ink = pen();
    const current = shownBox();
    const parts = [];
    let lines = "";
    const mark = (n) => shown.flatMap(([, marks]) => marks).find((one) => one.n === n && one.count === 1);
    const outline = (n, name) => {
      const [left, right] = [ink.clamp(ink.x(place.startOf(n))), ink.clamp(ink.x(place.endOf(n)))];
      if (right <= place.gutter - 4 || left >= place.width + 4) return;
      parts.push(`<rect class="tinytf-lit" data-lit="${name}" x="${px(left)}" y="${px(ink.topOf(n))}" width="${px(Math.max(right - left, MARK))}" height="${BAR}" rx="2"/>`);
    };
    if (current >= 0) {
      for (const source of boxes.sources[current]) lines += ink.arrow(source, current, "given");
      for (const target of (takers.get(current) ?? []).slice(0, 60)) lines += ink.arrow(current, target, "given");
      for (const n of teller.related(current).slice(0, 200)) outline(n, "near");
      if (boxes.waited[current] > 0) {
        const [from, to] = [ink.clamp(ink.x(place.startOf(current) - boxes.waited[current])), ink.clamp(ink.x(place.startOf(current)))];
        parts.push(`<path class="tinytf-waited" d="M${px(from)} ${px(ink.topOf(current) + BAR - 3)}H${px(to)}v3H${px(from)}z"/>`);
      }
      outline(current, "self");
      if (!mark(current)?.text) parts.push(tip(ink, current));
    }
    if (now !== null && now >= view.from) parts.push(`<path class="tinytf-now-line" d="M${px(ink.clamp(ink.x(now)))} 0V${place.height}"/>`);
    if (drag?.kind === "select" && drag.isMoved) {
      const [from, to] = [drag.at, drag.x].sort((a, b) => a - b);
      const text = duration((to - from) / ink.scale);
      parts.push(`<rect class="tinytf-selection" x="${px(from)}" y="0" width="${px(to - from)}" height="${place.height}"/>` +
        `<text class="tinytf-name" x="${px((from + to) / 2 - text.length * CHARACTER / 2)}" y="${frame.scrollTop + 15}">${text}</text>`);
    }
    given.innerHTML = lines;
    over.innerHTML = parts.join("");
    Object.assign(root.dataset, { selected: model.get("selected"), now: now === null ? "" : Math.round(now) });
  }
  /** The name of a box that has no room for it. */
  function tip(ink, n) {
    const text = `${nameOf(content, n)}, ${duration(boxes.length[n])}`;
    const wide = text.length * CHARACTER + 12;
    const x = between(place.gutter, ink.x(place.startOf(n)) - 4, Math.max(place.width - wide - 2, place.gutter));
    const y = Math.max(ink.topOf(n) - 21, 1);
    return `<g class="tinytf-tip"><rect x="${px(x)}" y="${px(y)}" width="${px(wide)}" height="18" rx="3"/><text x="${px(x + 6)}" y="${px(y + 12.5)}">${escaped(text)}</text></g>`;
  }

  /** The next frame: on the way from what is shown to where it goes. */
  function advance(time) {
    scheduled = 0;
    const share = still() || last === 0 ? 1 : 1 - Math.exp(-(time - last) / 45);
    last = time;
    const near = (goal.to - goal.from) / place.width / 2;
    const next = { from: view.from + (goal.from - view.from) * share, to: view.to + (goal.to - view.to) * share };
    const isThere = share === 1 || (Math.abs(next.from - goal.from) < near && Math.abs(next.to - goal.to) < near);
    view = isThere ? { ...goal } : next;
    draw();
    if (isThere) last = 0;
    else redraw();
  }
  const redraw = () => { scheduled ||= requestAnimationFrame(advance); };

  /** Lay out again, for another width or another arrangement. */
  function arrange() {
    place = layout(content, { aligned: isAligned, width: Math.max(frame.clientWidth || 960, 200) });
    busy = busyness(place, PARTS);
    for (const svg of [head, drawing]) svg.setAttribute("width", place.width);
    head.setAttribute("height", HEAD);
    drawing.setAttribute("height", place.height);
    view = goal = { from: 0, to: place.total };
    names.innerHTML = pen().names();
    const goesOn = place.height - frame.clientHeight > 4;
    more.textContent = goesOn ? "The drawing goes on below: scroll in it." : "";
    draw();
    tell();
  }
  /** The width has changed: what is in sight stays. */
  function resize() {
    if (!frame.clientWidth || frame.clientWidth === place.width) return;
    const kept = place.total === goal.to && goal.from === 0 ? null : goal;
    arrange();
    if (kept) look(kept.from, kept.to);
  }

  // What is told ----------------------------------------------------------------------------------

  const chosen = () => (model.get("selected") < count ? model.get("selected") : -1);
  const shownBox = () => (pointed >= 0 ? pointed : chosen());

  function tell() {
    told.replaceChildren();
    const n = shownBox();
    told.dataset.node = n < 0 ? "" : teller.nodeOf(n).name;
    if (n < 0) {
      make(told, "p", { class: "tinytf-aside" }, "Point at a box, or walk with the arrow keys: what ran, when, and why not sooner.");
      return;
    }
    make(told, "p", { class: "tinytf-title" }, teller.title(n));
    make(told, "p", { class: "tinytf-why" }, teller.why(n));
    const table = make(told, "table", { class: "tinytf-facts" });
    for (const [title, text] of teller.facts(n)) {
      const row = make(table, "tr");
      make(row, "th", {}, title);
      make(row, "td", {}, text);
    }
  }

  // Moving ----------------------------------------------------------------------------------------

  function look(from, to) {
    const span = between(SMALLEST, to - from, place.total);
    const begin = between(0, from + (to - from - span) / 2, place.total - span);
    goal = { from: begin, to: begin + span };
    redraw();
  }
  function zoom(factor, around = null) {
    const n = chosen();
    let at = around ?? (n >= 0 ? (place.startOf(n) + place.endOf(n)) / 2 : null);
    if (at === null || at < goal.from || at > goal.to) at = (goal.from + goal.to) / 2;
    const span = between(SMALLEST, (goal.to - goal.from) * factor, place.total);
    const share = (at - goal.from) / (goal.to - goal.from);
    look(at - span * share, at + span * (1 - share));
  }
  const move = (share) => {
    const by = between(-goal.from, (goal.to - goal.from) * share, place.total - goal.to);
    look(goal.from + by, goal.to + by);
  };
  const fit = () => look(0, place.total);
  const lookAt = (n) => look(place.startOf(n) - boxes.length[n] / 2, place.endOf(n) + boxes.length[n] / 2);

  const clock = joinClock(content.clock, {
    onTime(time) {
      now = place.offsets[0] + time;
      const span = goal.to - goal.from;
      if (now < goal.from || now > goal.to) look(now - span / 3, now + (span * 2) / 3);
      else redraw();
    },
    onSelect: (name) => select(boxes.node.findIndex((node) => content.nodes[node].name === name), false),
  });
  function select(n, isTold = true) {
    pointed = -1;
    model.set("selected", n);
    model.save_changes();
    if (!isTold || n < 0) return;
    clock.select(teller.nodeOf(n).name);
    clock.time(boxes.start[n]);
  }
  /** Bring the selected box into sight. */
  function follow() {
    const n = chosen();
    if (n >= 0) {
      const [from, to] = [place.startOf(n), place.endOf(n)];
      const span = goal.to - goal.from;
      if (to < goal.from || from > goal.to) look(from - span / 3, from + (span * 2) / 3);
      const { y, height } = place.rows[place.row[n]];
      if (y < frame.scrollTop) frame.scrollTop = y - TITLE;
      if (y + height > frame.scrollTop + frame.clientHeight) frame.scrollTop = y + height + GAP - frame.clientHeight;
    }
    tell();
    redraw();
  }
  const rowBoxes = (row) => row.tracks.flatMap(({ ids }) => ids).filter((n) => boxes.many[n] === 1).sort((a, b) => place.startOf(a) - place.startOf(b));
  function along(distance) {
    const n = chosen();
    if (n < 0) {
      const first = place.rows.flatMap(rowBoxes).find((m) => place.endOf(m) >= goal.from);
      if (first !== undefined) select(first);
      return;
    }
    const row = rowBoxes(place.rows[place.row[n]]);
    select(row[between(0, row.indexOf(n) + distance, row.length - 1)]);
  }
  function across(distance) {
    const n = chosen();
    if (n < 0) return along(1);
    const time = place.startOf(n);
    const far = (m) => Math.max(place.startOf(m) - time, time - place.endOf(m), 0);
    for (let at = place.row[n] + distance; place.rows[at]; at += distance) {
      const row = rowBoxes(place.rows[at]);
      if (row.length) return select(row.reduce((best, m) => (far(m) < far(best) ? m : best)));
    }
    return undefined;
  }

  root.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key !== "Tab") event.stopPropagation();
    if (event.target.tagName === "SELECT") return; // it has its own keys
    const big = event.shiftKey;
    const n = chosen();
    const actions = {
      w: () => zoom(0.7, mouse), s: () => zoom(1 / 0.7, mouse), a: () => move(-0.2), d: () => move(0.2),
      "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), 0: fit,
      f: () => n >= 0 && lookAt(n),
      ArrowRight: () => (big ? move(0.2) : along(1)), ArrowLeft: () => (big ? move(-0.2) : along(-1)),
      ArrowDown: () => across(1), ArrowUp: () => across(-1),
      Home: () => along(-Infinity), End: () => along(Infinity),
      Escape: () => select(-1),
    };
    if (event.target === root) actions.Enter = actions.f;
    if (event.target.tagName === "PRE" && event.key.startsWith("Arrow")) return; // it scrolls
    const action = actions[event.key.length === 1 ? event.key.toLowerCase() : event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });

  // The mouse -------------------------------------------------------------------------------------

  const atMouse = (event) => {
    const corner = drawing.getBoundingClientRect();
    return [event.clientX - corner.left, event.clientY - corner.top];
  };
  const timeAt = (x) => view.from + (between(place.gutter, x, place.width) - place.gutter) / pen().scale;
  /** What is drawn at a place, or a few pixels beside it. */
  function markAt([x, y]) {
    for (const [row, marks] of shown) {
      if (y < row.top || y >= row.y + row.height || x < place.gutter - NEAR) continue;
      const depth = Math.floor((y - row.top) / ROW);
      const line = Math.floor((y - row.top - ROW * row.depth) / LINE) + 1;
      const isNamed = ({ text, x: begin }) => text && x >= begin && x <= begin + text.length * CHARACTER;
      const far = (mark) => (!mark.line && isNamed(mark) ? 0 : Math.max(mark.left - x, x - mark.right, 0));
      const near = marks.filter((mark) => (mark.line && line > 0 ? mark.line === line && isNamed(mark)
        : mark.depth === depth && far(mark) <= NEAR));
      return near.length ? near.reduce((best, mark) => (far(mark) < far(best) ? mark : best)) : null;
    }
    return null;
  }
  frame.addEventListener("wheel", (event) => {
    if (event.ctrlKey) zoom(event.deltaY < 0 ? 0.8 : 1.25, timeAt(atMouse(event)[0]));
    else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) move(Math.sign(event.deltaX || event.deltaY) * 0.1);
    else return; // the page scrolls: who reads on must not be held up
    event.preventDefault();
  }, { passive: false });
  drawing.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    root.focus({ preventScroll: true });
    const [x, y] = atMouse(event);
    if (x < place.gutter && !place.isNarrow) return;
    drag = { kind: event.shiftKey ? "move" : "select", at: x, x, mark: markAt([x, y]), view: { ...view }, isMoved: false };
  });
  drawing.addEventListener("pointermove", (event) => {
    const [x, y] = atMouse(event);
    mouse = timeAt(x);
    if (drag === null) {
      const mark = markAt([x, y]);
      drawing.dataset.over = mark ? "box" : "";
      drawing.querySelector("title")?.remove();
      if (mark && mark.count > 1) make(drawing, "title", {}, `${mark.count.toLocaleString("en")} runs, too short to tell apart; a click zooms to them`);
      const n = mark && mark.count === 1 ? mark.n : -1;
      if (n === pointed) return;
      pointed = n;
      tell();
      drawOver();
      return;
    }
    if (!drag.isMoved && Math.abs(x - drag.at) < DRAGGED) return;
    if (!drag.isMoved) drawing.setPointerCapture(event.pointerId);
    drag.isMoved = true;
    drag.x = between(place.gutter, x, place.width);
    drawing.dataset.dragged = drag.kind;
    if (drag.kind === "select") return drawOver();
    const by = between(-drag.view.from, (drag.at - x) / pen().scale, place.total - drag.view.to);
    view = { from: drag.view.from + by, to: drag.view.to + by };
    return look(view.from, view.to);
  });
  drawing.addEventListener("pointerup", () => {
    const done = drag;
    drag = null;
    delete drawing.dataset.dragged;
    if (done === null) return;
    if (!done.isMoved) {
      if (!done.mark || done.mark.count === 1) select(done.mark ? done.mark.n : -1);
      else look(place.startOf(done.mark.n), Math.max(done.mark.to, place.endOf(done.mark.n)));
    } else if (done.kind === "select") look(...[timeAt(done.at), timeAt(done.x)].sort((a, b) => a - b));
  });
  drawing.addEventListener("pointercancel", () => { drag = null; drawOver(); });
  drawing.addEventListener("pointerleave", () => {
    mouse = null;
    if (drag !== null || pointed < 0) return;
    pointed = -1;
    tell();
    drawOver();
  });
  drawing.addEventListener("dblclick", fit);
  /** In the strip above: to where the mouse is. */
  const slide = (event) => {
    if (event.buttons !== 1) return;
    const at = ((event.clientX - head.getBoundingClientRect().left - place.gutter) / (place.right - place.gutter)) * place.total;
    const half = (goal.to - goal.from) / 2;
    look(...[-half, half].map((by) => between(half, at, place.total - half) + by));
  };
  head.addEventListener("pointerdown", (event) => { head.setPointerCapture(event.pointerId); slide(event); });
  head.addEventListener("pointermove", slide);
  frame.addEventListener("scroll", redraw);
  const sizes = new ResizeObserver(resize);
  model.on("change:selected", follow);
  arrange();
  sizes.observe(frame);
  return () => {
    sizes.disconnect();
    cancelAnimationFrame(scheduled);
    clock.leave();
    model.off("change:selected", follow);
  };
}

export default { render };
