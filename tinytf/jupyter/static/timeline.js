// A timeline of traced steps that is zoomed and moved. All boxes come once, in columns, from
// tinytf/jupyter/timeline_widget.py; only what is in sight is drawn, and crowds of boxes that are
// narrower than a pixel are drawn as one: thousands stay quick. timeline_layout.js stands before it.

function render({ model, el }) {
  const content = model.get("content");
  const { boxes, nodes, notes } = content;
  const steps = content.lengths.length;
  const count = boxes.node.length;
  const nodeOf = (n) => nodes[boxes.node[n]];
  const takers = new Map();
  boxes.sources.forEach((sources, n) => {
    for (const source of sources) takers.set(source, [...(takers.get(source) ?? []), n]);
  });
  let place = layout(content, false);
  let view = { from: 0, to: place.total };
  let pointed = -1;
  let scheduled = 0;
  let measured = 0;

  const root = make(el, "div", {
    class: "tinytf-timeline", tabindex: "0", role: "group",
    "aria-label": `${content.headline} Left and right arrow: another operation of the row. Up and ` +
      "down arrow: another row. Plus and minus: zoom. Shift and arrow: move. 0: all of it.",
    "data-lm-suppress-shortcuts": "true", // keys are for the widget, not for the notebook
  });
  make(root, "p", { class: "tinytf-aside" }, `${content.headline} ${content.remark}`);
  if (content.clocks) make(root, "p", { class: "tinytf-aside tinytf-clocks" }, `⚠ ${content.clocks}`);
  if (content.cut) make(root, "p", { class: "tinytf-aside tinytf-cut" }, content.cut);
  const controls = make(root, "div", { class: "tinytf-controls" });
  const button = (name, label, title, action) => {
    const made = make(controls, "button", { class: `tinytf-${name}`, type: "button", title }, label);
    made.addEventListener("click", action);
    return made;
  };
  const closer = button("closer", "Zoom in", "Closer (+, or the wheel)", () => zoom(0.5));
  const farther = button("farther", "Zoom out", "Farther (-, or the wheel)", () => zoom(2));
  const earlier = button("earlier", "◀ Earlier", "Back in time (shift and left arrow, or drag)", () => move(-0.4));
  const later = button("later", "Later ▶", "On in time (shift and right arrow, or drag)", () => move(0.4));
  const all = button("fit", "All", "All of it (0)", () => fit());
  if (steps > 1) {
    const label = make(controls, "label", {}, "Steps ");
    const choice = make(label, "select", { class: "tinytf-steps" });
    for (const name of ["one after another", "aligned"]) make(choice, "option", { value: name }, name);
    choice.addEventListener("change", () => arrange(choice.value === "aligned"));
  }
  const range = make(controls, "span", { class: "tinytf-range" });
  const hint = make(root, "p", { class: "tinytf-aside tinytf-hint" });
  const frame = make(root, "div", { class: "tinytf-window" });
  frame.innerHTML = '<svg class="tinytf-times" role="img"><g class="tinytf-lanes"></g></svg>';
  const drawing = frame.firstElementChild;
  drawing.setAttribute("aria-label", content.headline);
  const lanes = drawing.firstElementChild;
  const more = make(root, "p", { class: "tinytf-aside tinytf-more", "aria-hidden": "true" });
  const told = make(root, "div", { class: "tinytf-told", "aria-live": "polite" });

  // Drawing ---------------------------------------------------------------------------------------

  const width = () => Math.max(frame.clientWidth, GUTTER + 120);
  const scale = () => (width() - GUTTER - 8) / (view.to - view.from);
  const x = (time) => GUTTER + (time - view.from) * scale();
  const clamp = (value) => Math.min(Math.max(value, GUTTER - 2), width() + 2);

  function draw() {
    scheduled = 0;
    const began = performance.now();
    const right = width() - 8;
    const parts = [];
    const current = shownBox();
    const lit = new Map(current < 0 ? [] : related(current).map((n) => [n, "near"]));
    if (current >= 0) lit.set(current, "self");
    drawing.setAttribute("width", width());
    drawing.setAttribute("height", place.height);
    drawAxis(parts, right);
    let drawn = 0;
    let seen = 0;
    const s = scale();
    const [top, bottom] = [frame.scrollTop - ROW, frame.scrollTop + (frame.clientHeight || place.height) + ROW];
    for (const [row, { singles, crowds }] of allInSight(place, boxes, view, s, top, bottom)) {
      for (const { from, to, depth, count: many, box } of crowds) {
        const left = clamp(x(from));
        parts.push(
          `<g data-kind="many" data-box="${box}"><title>${many} runs; zoom in to see them</title><rect x="${px(left)}" ` +
          `y="${px(row.y + ROW * depth)}" width="${px(Math.max(clamp(x(to)) - left, 1))}" height="${ROW - 2}"/></g>`);
        seen += many;
      }
      for (const n of singles) parts.push(box(n, row, lit.get(n)));
      drawn += singles.length + crowds.length;
      seen += singles.length;
    }
    drawArrows(parts, current);
    drawNames(parts, right);
    lanes.innerHTML = parts.join("");
    measured = performance.now() - began;
    Object.assign(root.dataset, {
      from: Math.round(view.from), to: Math.round(view.to), drawn, seen, boxes: count,
      selected: model.get("selected"), milliseconds: measured.toFixed(1),
    });
    range.textContent = `${duration(view.to - view.from)} of ${duration(place.total)}`;
    const whole = view.from <= 0 && view.to >= place.total;
    all.disabled = farther.disabled = whole;
    earlier.disabled = view.from <= 0;
    later.disabled = view.to >= place.total;
    closer.disabled = view.to - view.from <= SMALLEST;
    const goesOn = frame.scrollHeight - frame.clientHeight - frame.scrollTop > 4;
    more.textContent = goesOn ? "The drawing goes on below: scroll in it." : "";
  }

  const redraw = () => { scheduled ||= requestAnimationFrame(draw); };

  function drawAxis(parts, right) {
    const bottom = place.height - GAP;
    content.lengths.forEach((length, step) => {
      const begin = place.offsets[step];
      const [from, to] = [Math.max(view.from - begin, 0), Math.min(view.to - begin, length)];
      if (to < from || (step > 0 && begin === place.offsets[0])) return;
      const reach = begin === 0 && steps > 1 && place.offsets[1] === 0 ? Math.min(view.to, place.total) : to;
      let free = -Infinity;
      const mark = (time, text, strong) => {
        const at = x(begin + time);
        if (at < GUTTER - 1 || at > right + 1) return;
        parts.push(`<path class="tinytf-${strong ? "rule" : "tick"}" d="M${px(at)} 17V${bottom}"/>`);
        if (at < free || at + 3 + text.length * CHARACTER > width()) return;
        parts.push(`<text class="tinytf-when" x="${px(at + 3)}" y="13">${text}</text>`);
        free = at + text.length * CHARACTER + 10;
      };
      if (from === 0) mark(0, steps > 1 && reach === to ? `step ${step + 1}` : "0", true);
      for (const time of ticks(from, reach, x(begin + reach) - x(begin + from))) {
        if (time > 0) mark(time, `+${duration(time)}`, false);
      }
    });
  }

  function box(n, row, lit) {
    const node = nodeOf(n);
    const left = clamp(x(place.startOf(n)));
    const wide = clamp(x(place.endOf(n))) - left;
    const y = row.y + ROW * boxes.depth[n];
    const room = Math.floor((wide - 6) / CHARACTER);
    const label = notes[boxes.note[n]].startsWith("shard") ? `${notes[boxes.note[n]].slice(6)} ${node.name}` : node.name;
    const text = room >= 2 ? `<text x="${px(left + 3)}" y="${px(y + 12.5)}">${escaped(short(label, room))}</text>` : "";
    return `<g data-box="${n}" data-node="${escaped(node.name)}" data-kind="${node.kind}" data-hue="${node.hue}"` +
      `${lit ? ` data-lit="${lit}"` : ""}><rect x="${px(left)}" y="${px(y)}" width="${px(Math.max(wide, 0.8))}" ` +
      `height="${ROW - 2}" rx="2"/>${text}</g>`;
  }

  const middle = (n) => place.rows[place.row[n]].y + ROW * boxes.depth[n] + ROW / 2 - 1;

  function arrow(source, target, name) {
    const left = place.endOf(source);
    const arrives = name === "sent" && place.startOf(target) < left ? place.endOf(target) : place.startOf(target); // it waited
    const [x0, x1, y0, y1] = [x(left), x(arrives), middle(source), middle(target)];
    if (Math.max(x0, x1) < GUTTER || Math.min(x0, x1) > width()) return "";
    if (Math.abs(x0) > 1e5 || Math.abs(x1) > 1e5) return "";
    const bend = Math.max(12, Math.abs(x1 - x0) / 2);
    return `<path class="tinytf-${name}" data-arrow="${source}-${target}" d="M${px(x0)} ${px(y0)}C${px(x0 + bend)} ${px(y0)} ` +
      `${px(x1 - bend)} ${px(y1)} ${px(x1)} ${px(y1)}"/><path class="tinytf-sent-head" d="M${px(x1)} ${px(y1)}l-7 -3.5v7z"/>`;
  }

  function drawArrows(parts, current) {
    let left = 400; // more cannot be told apart
    for (const [source, target] of content.arrows) {
      if (place.endOf(source) > view.to || place.endOf(target) < view.from || left === 0) continue;
      parts.push(arrow(source, target, "sent"));
      left -= 1;
    }
    if (current < 0) return;
    for (const source of boxes.sources[current]) parts.push(arrow(source, current, "given"));
    for (const target of (takers.get(current) ?? []).slice(0, 60)) parts.push(arrow(current, target, "given"));
  }

  function drawNames(parts, right) {
    parts.push(`<rect class="tinytf-gutter" x="0" y="0" width="${GUTTER - 3}" height="${place.height}" ` +
      'style="fill: var(--jp-layout-color0, Canvas); stroke: none"/>');
    place.groups.forEach(({ top, title, opens, queue, most }, g) => {
      parts.push(`<path class="tinytf-rule"${opens ? ' data-opens="true"' : ""} d="M0 ${top}H${right}"/>` +
        `<text class="tinytf-device-name" x="4" y="${top + 14}">${escaped(title)}</text>`);
      if (most) drawQueue(parts, g, queue, most);
    });
    for (const row of place.rows) {
      parts.push(`<text class="tinytf-thread" x="12" y="${row.y + 13}">${escaped(short(row.title, 24))}` +
        `<title>${escaped(row.title)}</title></text>`);
    }
  }

  function drawQueue(parts, group, y, most) {
    const floor = y + QUEUE - 4;
    const high = (QUEUE - 8) / most;
    let d = "";
    content.groups[group].queue.forEach((changes, step) => {
      if (!changes.length || (step > 0 && place.offsets[step] === place.offsets[0])) return;
      const time = (i) => place.offsets[step] + changes[i][0];
      const first = Math.max(firstWhere(changes.length, (i) => time(i) > view.from) - 1, 0);
      if (time(first) > view.to) return;
      d += `M${px(clamp(x(time(first))))} ${floor}`;
      let lastX = -Infinity;
      for (let i = first; i < changes.length && time(i) <= view.to; i += 1) {
        const at = clamp(x(time(i)));
        const next = i + 1 < changes.length ? clamp(x(time(i + 1))) : at;
        // Changes closer than half a pixel cannot be told apart.
        if (at - lastX < 0.5 && next - at < 0.5 && i > first) continue;
        d += `H${px(at)}V${px(floor - changes[i][1] * high)}`;
        lastX = at;
      }
      d += `H${px(clamp(x(Math.min(view.to, time(changes.length - 1)))))}V${floor}Z`;
    });
    const which = steps > 1 && place.offsets[1] === 0 ? " (step 1)" : "";
    parts.push(`<path class="tinytf-depth" data-group="${group}" d="${d}"/>` +
      `<text class="tinytf-thread" x="12" y="${y + 17}">ready, up to ${most}${which}</text>`);
  }

  // What is told ----------------------------------------------------------------------------------

  const shownBox = () => {
    const selected = model.get("selected");
    return pointed >= 0 ? pointed : selected >= 0 && selected < count ? selected : -1;
  };

  /** Other runs that belong to one: who gave to it, who took from it, its parts, its other end. */
  function related(n) {
    const found = [...boxes.sources[n], ...(takers.get(n) ?? [])];
    const name = nodeOf(n).name;
    for (const [source, target] of content.arrows) {
      if (source === n) found.push(target);
      if (target === n) found.push(source);
    }
    const pool = content.groups[boxes.group[n]].pool;
    for (let m = 0; m < count; m += 1) {
      if (m === n || boxes.step[m] !== boxes.step[n] || nodeOf(m).name !== name) continue;
      const [shard, whole] = pool ? [n, m] : [m, n];
      if (content.groups[boxes.group[shard]].pool && (content.groups[boxes.group[whole]].pool ||
        (boxes.start[shard] >= boxes.start[whole] &&
          boxes.start[shard] <= boxes.start[whole] + boxes.length[whole]))) found.push(m);
    }
    return found;
  }

  function tell() {
    told.replaceChildren();
    const n = shownBox();
    told.dataset.node = n < 0 ? "" : nodeOf(n).name;
    if (n < 0) {
      make(told, "p", { class: "tinytf-aside" }, "Point at a box, or walk with the arrow keys: what ran, when, and why not sooner.");
      return;
    }
    const node = nodeOf(n);
    const note = notes[boxes.note[n]];
    make(told, "p", { class: "tinytf-title" }, `${node.name} (${node.op})${note ? `, ${note}` : ""}`);
    const table = make(told, "table", { class: "tinytf-facts" });
    const fact = (title, text) => {
      if (!text) return;
      const row = make(table, "tr");
      make(row, "th", {}, title);
      make(row, "td", {}, text);
    };
    const group = content.groups[boxes.group[n]];
    const start = boxes.start[n];
    const waited = boxes.waited[n];
    fact("ran on", `${group.title}, ${group.lanes[boxes.lane[n]][0]}${steps > 1 ? `, in step ${boxes.step[n] + 1}` : ""}`);
    fact("ready", waited < 0 ? "" : `+${duration(start - waited)} after the step began`);
    fact("started", `+${duration(start)}${waited < 0 ? "" : `, having waited ${duration(waited)}`}`);
    fact("ended", `+${duration(start + boxes.length[n])}, having run ${duration(boxes.length[n])}`);
    fact("inputs", node.inputs.join(", "));
    fact("outputs", node.made.join("; "));
    fact("route", node.route);
    fact("built in", node.line);
  }

  // Moving ----------------------------------------------------------------------------------------

  function look(from, to) {
    const span = Math.min(Math.max(to - from, SMALLEST), place.total);
    const begin = Math.min(Math.max(from + (to - from - span) / 2, 0), place.total - span);
    view = { from: begin, to: begin + span };
    redraw();
  }
  function zoom(factor, around = null) {
    const selected = model.get("selected");
    let at = around;
    if (at === null && selected >= 0) at = (place.startOf(selected) + place.endOf(selected)) / 2;
    if (at === null || at < view.from || at > view.to) at = (view.from + view.to) / 2;
    const span = Math.min(Math.max((view.to - view.from) * factor, SMALLEST), place.total);
    const share = (at - view.from) / (view.to - view.from);
    look(at - span * share, at + span * (1 - share));
  }
  const move = (share) => {
    const by = (view.to - view.from) * share;
    const moved = Math.min(Math.max(by, -view.from), place.total - view.to);
    look(view.from + moved, view.to + moved);
  };
  const fit = () => look(0, place.total);
  function arrange(aligned) {
    place = layout(content, aligned);
    root.dataset.aligned = String(aligned);
    fit();
  }

  function select(n) {
    pointed = -1;
    model.set("selected", n);
    model.save_changes();
  }
  /** Bring the selected box into sight. */
  function follow() {
    const n = model.get("selected");
    if (n >= 0 && n < count) {
      const [from, to] = [place.startOf(n), place.endOf(n)];
      const span = view.to - view.from;
      if (to < view.from || from > view.to) look(from - span / 3, from + (span * 2) / 3);
      const y = place.rows[place.row[n]].y;
      if (y < frame.scrollTop) frame.scrollTop = y - TITLE - AXIS;
      if (y + ROW > frame.scrollTop + frame.clientHeight) frame.scrollTop = y + 2 * ROW - frame.clientHeight;
    }
    tell();
    redraw();
  }
  const filled = () => place.rows.map((row, number) => [row, number]).filter(([row]) => row.boxes.length);
  function along(distance) {
    const n = model.get("selected");
    if (n < 0) {
      const first = filled()[0]?.[0].boxes.find((m) => place.endOf(m) >= view.from);
      if (first !== undefined) select(first);
      return;
    }
    const row = place.rows[place.row[n]].boxes;
    const at = row.indexOf(n) + distance;
    select(row[Math.min(Math.max(at, 0), row.length - 1)]);
  }
  function across(distance) {
    const n = model.get("selected");
    if (n < 0) return along(1);
    const rows = filled();
    const at = rows.findIndex(([, number]) => number === place.row[n]) + distance;
    if (at < 0 || at >= rows.length) return undefined;
    const time = place.startOf(n);
    const far = (m) => Math.max(place.startOf(m) - time, time - place.endOf(m), 0);
    return select(rows[at][0].boxes.reduce((best, m) => (far(m) < far(best) ? m : best)));
  }

  root.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key !== "Tab" && event.key !== "Escape") event.stopPropagation();
    if (event.target.tagName === "SELECT") return; // it has its own keys
    const actions = {
      ArrowRight: () => (event.shiftKey ? move(0.2) : along(1)),
      ArrowLeft: () => (event.shiftKey ? move(-0.2) : along(-1)),
      ArrowDown: () => across(1), ArrowUp: () => across(-1),
      Home: () => along(-Infinity), End: () => along(Infinity),
      "+": () => zoom(0.5), "=": () => zoom(0.5), "-": () => zoom(2), 0: fit,
      Escape: () => select(-1),
    };
    if (event.target === root) actions.Enter = () => {
      const n = model.get("selected");
      if (n >= 0) look(place.startOf(n) - boxes.length[n] / 2, place.endOf(n) + boxes.length[n] / 2);
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  });

  const timeAt = (event) => view.from + (event.clientX - drawing.getBoundingClientRect().left - GUTTER) / scale();
  const boxAt = (event) => {
    const found = event.target.closest?.("[data-box]");
    return found && frame.contains(found) ? Number(found.dataset.box) : -1;
  };
  frame.addEventListener("wheel", (event) => {
    const sideways = event.shiftKey ? event.deltaY : event.deltaX;
    // Until it was clicked, the wheel scrolls the page: who reads on must not be held up.
    if (!event.ctrlKey && !event.shiftKey && !root.contains(document.activeElement)) return;
    event.preventDefault();
    if (Math.abs(sideways) > Math.abs(event.shiftKey ? 0 : event.deltaY)) move(Math.sign(sideways) * 0.1);
    else zoom(event.deltaY < 0 ? 0.8 : 1.25, timeAt(event));
  }, { passive: false });
  let drag = null;
  drawing.addEventListener("pointerdown", (event) => {
    if (event.button !== 0) return;
    root.focus({ preventScroll: true });
    drag = { at: event.clientX, from: view.from, to: view.to, moved: false, box: boxAt(event) };
  });
  drawing.addEventListener("pointermove", (event) => {
    if (drag === null) {
      const n = boxAt(event);
      if (n !== pointed) {
        pointed = n;
        tell();
        redraw();
      }
      return;
    }
    const by = event.clientX - drag.at;
    if (!drag.moved && Math.abs(by) < 4) return;
    if (!drag.moved) drawing.setPointerCapture(event.pointerId);
    drag.moved = true;
    drawing.dataset.dragged = "true";
    const time = Math.min(Math.max(-by / scale(), -drag.from), place.total - drag.to);
    look(drag.from + time, drag.to + time);
  });
  const drop = () => {
    if (drag !== null && !drag.moved) select(drag.box);
    drag = null;
    delete drawing.dataset.dragged;
  };
  drawing.addEventListener("pointerup", drop);
  drawing.addEventListener("pointercancel", () => { drag = null; });
  drawing.addEventListener("pointerleave", () => {
    if (drag !== null || pointed < 0) return;
    pointed = -1;
    tell();
    redraw();
  });
  drawing.addEventListener("dblclick", (event) => zoom(0.4, timeAt(event)));
  frame.addEventListener("scroll", redraw);
  const sizes = new ResizeObserver(redraw);
  sizes.observe(frame);
  model.on("change:selected", follow);
  hint.textContent = "Drag to move; after a click into the drawing the wheel zooms. Dashed boxes send and receive, " +
    "dotted ones are shards, solid blocks are many short runs.";
  tell();
  draw();
  return () => {
    sizes.disconnect();
    cancelAnimationFrame(scheduled);
    model.off("change:selected", follow);
  };
}

export default { render };
