// Boxes and lines as SVG text. Styles are in graph.css and graph_view.css; forms are told apart by
// their outline, devices by a pattern and their name as well as by colour.

const PATTERNS = 6;
const NAME = 7.3; // the width of a character of a name (12 px, monospaced)
const SMALL = 6.4; // of the lines below it
const MARGINS = { placeholder: 40, "control-flow": 40, constant: 36, "side-effect": 38 };

const escapeText = (text) => String(text).replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" }[c]));
const n1 = (value) => String(Math.round(value * 10) / 10);

/** A name that fits into a box: the middle gives way. */
export function shorten(text, most = 24) {
  return text.length <= most ? text : `${text.slice(0, most - 9)}…${text.slice(-8)}`;
}

/** How many nodes of an item are on which device: [device, count], the most first. */
export function devicesOf(graph, item) {
  graph.deviceCounts ??= new Map();
  if (!graph.deviceCounts.has(item)) {
    const counts = new Map();
    const visit = (id) => {
      if (id >= graph.count) graph.item(id).children.forEach(visit);
      else counts.set(graph.nodes[id].device, (counts.get(graph.nodes[id].device) ?? 0) + 1);
    };
    visit(item);
    graph.deviceCounts.set(item, [...counts].sort((a, b) => b[1] - a[1]));
  }
  return graph.deviceCounts.get(item);
}

/** What is written in a box, line by line; and its form. */
export function wording(graph, item) {
  const thing = graph.item(item);
  const devices = devicesOf(graph, item).filter(([name]) => name);
  const where = devices.length > 1 ? `${devices.length} devices` : devices[0]?.[0] ?? "";
  if (item < graph.count) {
    let kind = thing.value ? `${thing.type === "Const" ? "" : thing.type} ${thing.value}`.trim() : thing.type;
    if (thing.calls.length) kind = `calls ${thing.calls.length > 1 ? plural(thing.calls.length, "function") : thing.calls[0]}`;
    if (thing.note) kind = `${kind}, ${thing.note}`;
    return { label: shorten(thing.label), kind: shorten(kind, 28), where, form: thing.form };
  }
  const core = thing.core >= 0 ? graph.nodes[thing.core] : null;
  const kinds = { loop: "loop, ", function: "function, ", part: "", aside: "", scope: "" };
  if (graph.hasCounters) return { label: shorten(thing.label, 28), kind: tally(thing.size, thing.size, thing.size), where, form: "scope" };
  const kind = core ? `${core.type} and ${thing.size - 1} more` : `${kinds[thing.kind]}${plural(thing.size, "op")}`;
  return { label: shorten(thing.label, 28), kind, where, form: core ? core.form : "scope" };
}

/** A closed group of a running step says how many of its operations wait, are ready, are done. */
export const tally = (waiting, ready, done) => `${waiting} wait, ${ready} ready, ${done} done`;
const isTallied = (graph, item) => Boolean(graph.hasCounters) && item >= graph.count;

/** Width and height of a closed box, and the width of its title when it is open. */
export function sizeOf(graph, item) {
  const { label, kind, where, form } = wording(graph, item);
  const text = Math.max(label.length * NAME, kind.length * SMALL, where ? where.length * SMALL + 16 : 0);
  const lines = 2 + (where ? 1 : 0);
  const height = 16 + 14 * lines + (form === "state" ? 8 : 0) + (isTallied(graph, item) ? 8 : 0);
  return { width: Math.max(66, Math.round(text + (MARGINS[form] ?? 28))), height, title: label.length * NAME + kind.length * SMALL + 80 };
}

/** The outline of a form; left and top are 0. */
export function outline(form, w, h) {
  const poly = (points) => `<polygon class="tinytf-shape" points="${points.map(([x, y]) => `${n1(x)},${n1(y)}`).join(" ")}"/>`;
  const rect = (r) => `<rect class="tinytf-shape" width="${n1(w)}" height="${n1(h)}" rx="${r}"/>`;
  if (form === "constant") return rect(h / 2);
  if (form === "placeholder") {
    const s = Math.min(10, w / 4);
    return poly([[s, 0], [w, 0], [w - s, h], [0, h]]);
  }
  if (form === "control-flow") {
    const s = Math.min(12, w / 4);
    return poly([[0, h / 2], [s, 0], [w - s, 0], [w, h / 2], [w - s, h], [s, h]]);
  }
  if (form === "state") {
    const [rx, ry] = [w / 2, Math.min(6, h / 4)];
    const arc = `A${n1(rx)} ${n1(ry)} 0 0 `;
    return `<path class="tinytf-shape" d="M0 ${n1(ry)}${arc}1 ${n1(w)} ${n1(ry)}V${n1(h - ry)}${arc}1 0 ${n1(h - ry)}Z"/>` +
      `<path class="tinytf-line" d="M0 ${n1(ry)}${arc}0 ${n1(w)} ${n1(ry)}"/>`;
  }
  if (form === "side-effect") {
    const s = Math.min(5, w / 5);
    return `${rect(2)}<path class="tinytf-line" d="M${s} 0V${n1(h)}M${n1(w - s)} 0V${n1(h)}"/>`;
  }
  return rect(5);
}

/** A small square in the colour and the pattern of a device. */
export function swatch(device, x, y, width = 10, height = 10) {
  const at = `x="${n1(x)}" y="${n1(y)}" width="${n1(width)}" height="${n1(height)}"`;
  return `<rect class="tinytf-swatch" data-hue="${device % 8}" ${at}/>` +
    `<rect fill="url(#tinytf-pattern-${device % PATTERNS})" ${at}/>`;
}

/** The patterns of devices; in every drawing, because pages differ in what they keep. */
export function patterns() {
  const shapes = [
    "", '<path d="M0 6L6 0" class="tinytf-hatch"/>', '<circle cx="3" cy="3" r="1.3" class="tinytf-dot"/>',
    '<path d="M0 3H6" class="tinytf-hatch"/>', '<path d="M0 0L6 6M0 6L6 0" class="tinytf-hatch"/>',
    '<path d="M3 0V6" class="tinytf-hatch"/>',
  ];
  const tags = shapes.map((shape, n) => `<pattern id="tinytf-pattern-${n}" width="6" height="6" patternUnits="userSpaceOnUse">${shape}</pattern>`);
  return `<defs>${tags.join("")}</defs>`;
}

/** A box: a node, a closed group, or the frame of an open one. */
export function drawBox(graph, item, box, { isOpen, depth, isAside, stubs }) {
  const thing = graph.item(item);
  const isGroup = item >= graph.count;
  const { label, kind, where, form } = wording(graph, item);
  const data = `data-item="${item}" data-name="${escapeText(isGroup ? thing.path || thing.label : thing.name)}" ` +
    `data-form="${isOpen ? "open" : form}" data-kind="${isGroup ? thing.kind : "node"}"` +
    `${isGroup ? ` data-open="${isOpen}"` : ""}${isAside ? ' data-aside="true"' : ""}` +
    `${graph.hasCounters ? ` data-node="${escapeText(isGroup ? thing.path || thing.label : thing.name)}"` : ""}`;
  const start = `<g class="tinytf-node" ${data} transform="translate(${n1(box.left)} ${n1(box.top)})">`;
  if (isOpen) {
    return `${start}<rect class="tinytf-shape tinytf-frame" data-depth="${depth % 2}" width="${n1(box.width)}" height="${n1(box.height)}" rx="8"/>` +
      `${thing.kind === "loop" ? `<rect class="tinytf-line" x="3" y="3" width="${n1(box.width - 6)}" height="${n1(box.height - 6)}" rx="6"/>` : ""}</g>`;
  }
  const { width: w, height: h } = box;
  const stacked = isGroup ? `<g class="tinytf-behind" transform="translate(4 -4)">${outline(form, w, h)}</g>` : "";
  const rows = 14 * (where ? 3 : 2) + (isTallied(graph, item) ? 8 : 0);
  const top = (h - rows) / 2 + 11 + (form === "state" ? 4 : 0);
  let inner = `${stacked}${outline(form, w, h)}` +
    `<text class="tinytf-name" x="${n1(w / 2)}" y="${n1(top)}">${escapeText(label)}</text>` +
    `<text class="tinytf-kind" x="${n1(w / 2)}" y="${n1(top + 14)}">${escapeText(kind)}</text>`;
  if (where) inner += deviceLine(graph, item, where, w, top + 28);
  if (isTallied(graph, item)) inner += bar(w, h);
  if (graph.hasCounters && !isGroup) inner += counter(w);
  if (isGroup) inner += toggle(w, 0, "+");
  if (stubs) inner += stub(w, h, stubs);
  return `${start}${inner}</g>`;
}

/** The title of an open group: before the lines that pass it. */
export function drawTitle(graph, item, box) {
  const { label, kind: said } = wording(graph, item);
  const kind = graph.hasCounters ? plural(graph.item(item).size, "op") : said;
  const text = `${escapeText(label)}<tspan class="tinytf-kind" dx="10">${escapeText(kind)}</tspan>`;
  return `<g class="tinytf-title-of" data-item="${item}" transform="translate(${n1(box.left)} ${n1(box.top)})">` +
    `<text class="tinytf-name tinytf-head-text" x="34" y="20">${text}</text>${toggle(17, 16, "−")}</g>`;
}

/** How far a group has come: done, then ready or running, then waiting. */
function bar(w, h) {
  const at = `y="${n1(h - 10)}" height="5"`;
  return `<g class="tinytf-bar"><rect class="tinytf-bar-all" x="10" width="${n1(w - 20)}" rx="2.5" ${at}/>` +
    `<rect class="tinytf-bar-done" x="10" width="0" ${at}/><rect class="tinytf-bar-ready" x="10" width="0" ${at}/></g>`;
}

/** A dependency counter, and the iteration that it is in. */
function counter(w) {
  return '<g class="tinytf-counter"><circle class="tinytf-badge" cx="2" cy="1" r="10"/><text class="tinytf-count" x="2" y="5"></text></g>' +
    `<text class="tinytf-note" x="${n1(w + 6)}" y="-3"></text>`;
}

function toggle(x, y, sign) {
  return `<g class="tinytf-toggle"><circle class="tinytf-reach" cx="${n1(x)}" cy="${n1(y)}" r="14"/>` +
    `<circle class="tinytf-badge" cx="${n1(x)}" cy="${n1(y)}" r="8.5"/>` +
    `<text class="tinytf-count" x="${n1(x)}" y="${n1(y + 4)}">${sign}</text></g>`;
}

/** The name of the device, beside its swatch; of several, as much of each as is on it. */
function deviceLine(graph, item, where, w, y) {
  const devices = devicesOf(graph, item).filter(([name]) => name);
  const total = devices.reduce((sum, [, count]) => sum + count, 0);
  const wide = devices.length > 1 ? 30 : 10;
  const from = w / 2 - (where.length * SMALL + wide + 4) / 2;
  let x = from;
  let inner = "";
  for (const [name, count] of devices) {
    const part = wide * count / total;
    inner += swatch(graph.devices.indexOf(name), x, y - 9, part);
    x += part;
  }
  return `${inner}<text class="tinytf-device" x="${n1(from + wide + 4)}" y="${n1(y)}">${escapeText(where)}</text>`;
}

/** A mark at a box that has edges to what is set aside. */
function stub(w, h, count) {
  return `<g class="tinytf-stub"><path class="tinytf-way" d="M${n1(w)} ${n1(h - 9)}h7"/>` +
    `<text x="${n1(w + 9)}" y="${n1(h - 5)}">${count}</text></g>`;
}

/** A line, or a piece of one. `across`: it runs to the right. */
export function drawLine(graph, line, number, across = false) {
  const edges = line.edges.map((at) => graph.edges[at]);
  const isControl = edges.every((edge) => edge.output < 0);
  const isRef = edges.some((edge) => edge.isRef);
  const inCycle = edges.some((edge) => edge.inCycle);
  const points = line.points.map(([x, y]) => (across ? [y, x] : [x, y])); // down; turned in the end
  const put = (x, y) => (across ? `${n1(y)} ${n1(x)}` : `${n1(x)} ${n1(y)}`);
  if (line.ends && line.to >= graph.count && !across) points[points.length - 1][1] -= 4; // the outline behind it
  const d = line.back ? wayBack(points, put) : wayDown(points, line.ends, put);
  const [x, y] = points[points.length - 1];
  const head = line.ends
    ? `<polygon class="tinytf-head" points="${put(x, y)} ${put(x - 4, y - 8)} ${put(x + 4, y - 8)}"/>` : "";
  const width = 1.2 + Math.min(2.6, Math.log2(edges.length) * 0.45);
  const way = isRef
    ? `<path class="tinytf-way tinytf-outer" style="stroke-width:${n1(width + 2.6)}" d="${d}"/><path class="tinytf-core" d="${d}"/>`
    : `<path class="tinytf-way" style="stroke-width:${n1(width)}" d="${d}"/>`;
  return `<g class="tinytf-edge" data-line="${number}" data-source="${line.source}" data-from="${line.from}" data-to="${line.to}" ` +
    `data-control="${isControl}"${isRef ? ' data-ref="true"' : ""}${inCycle ? ' data-cycle="true"' : ""} data-count="${edges.length}">` +
    `<path class="tinytf-reach" d="${d}"/>${way}${head}</g>`;
}

/** Texts at lines, where there is room for them. */
export function drawLabels(graph, lines, boxes, open) {
  const taken = [...boxes].filter(([item]) => !open.has(item))
    .map(([, box]) => [box.left, box.top, box.left + box.width, box.top + box.height]);
  const texts = [];
  for (const line of lines) {
    const text = lineLabel(graph, line.edges);
    if (!text || line.from === "in") continue;
    const [[x0, y0], [x1, y1]] = line.back ? line.points.slice(2, 4) : line.points.slice(1, 3);
    if (x1 === undefined) continue;
    const [x, y] = [(x0 + x1) / 2, (y0 + y1) / 2 + 3];
    const half = text.length * 2.9 + 3;
    const area = [x - half, y - 9, x + half, y + 3];
    if (taken.some((other) => area[0] < other[2] && other[0] < area[2] && area[1] < other[3] && other[1] < area[3])) continue;
    taken.push(area);
    texts.push(`<text class="tinytf-flow" x="${n1(x)}" y="${n1(y)}">${escapeText(text)}</text>`);
  }
  return texts.join("");
}

/** Curves between layers, straight lines inside them. */
function wayDown(points, ends, put) {
  const all = points.map(([x, y]) => [x, y]);
  if (ends) all[all.length - 1][1] -= 4;
  let d = `M${put(...all[0])}`;
  for (let at = 1; at < all.length; at++) {
    const [[x0, y0], [x1, y1]] = [all[at - 1], all[at]];
    const middle = (y0 + y1) / 2;
    if (Math.abs(x0 - x1) < 0.05) d += `L${put(x1, y1)}`;
    else d += `C${put(x0, middle)} ${put(x1, middle)} ${put(x1, y1)}`;
  }
  return d;
}

/** Straight lines with round corners. */
function wayBack(points, put) {
  const towards = ([x, y], [a, b]) => {
    const length = Math.abs(a - x) + Math.abs(b - y);
    const share = length ? Math.min(6, length / 2) / length : 0;
    return put(x + (a - x) * share, y + (b - y) * share);
  };
  let d = `M${put(...points[0])}`;
  for (let at = 1; at + 1 < points.length; at++) {
    const corner = points[at];
    d += `L${towards(corner, points[at - 1])}Q${put(...corner)} ${towards(corner, points[at + 1])}`;
  }
  const [x, y] = points[points.length - 1];
  return `${d}L${put(x, y - 4)}`;
}
