// Where the boxes of a timeline are, and which of them are in sight; drawn by timeline.js, which is
// put behind this file.

const GUTTER = 176;
const AXIS = 24;
const TITLE = 20;
const ROW = 18;
const QUEUE = 28;
const GAP = 8;
const NARROW = 1.3; // pixels; what is narrower joins its neighbours
const MOST_DRAWN = 1200; // single boxes: with more of them, wider ones join their neighbours, too
const CHARACTER = 6.7;
const SMALLEST = 40; // ns across: no closer

function make(parent, tag, attributes = {}, text = "") {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.textContent = text;
  parent.append(element);
  return element;
}

const escaped = (text) =>
  text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
const short = (text, room) => (text.length <= room ? text : `${text.slice(0, Math.max(room - 1, 1))}…`);
const px = (value) => value.toFixed(1);

/** "350 ns", "1.25 µs", "13.1 ms". */
export function duration(ns) {
  const [one, unit] = ns >= 1e9 ? [1e9, "s"] : ns >= 1e6 ? [1e6, "ms"] : ns >= 1e3 ? [1e3, "µs"] : [1, "ns"];
  return `${Number((ns / one).toPrecision(4))} ${unit}`;
}

/** Where everything is: rows from top to bottom, and where each step begins on the axis of time. */
export function layout(content, aligned) {
  const steps = content.lengths.length;
  const longest = Math.max(1, ...content.lengths);
  const offsets = [];
  let total = longest;
  if (aligned) {
    for (let step = 0; step < steps; step += 1) offsets.push(0);
  } else {
    const sum = content.lengths.reduce((a, b) => a + b, 0);
    let time = 0;
    for (const length of content.lengths) {
      offsets.push(time);
      time += length + sum / 40; // what lies between two steps is left out
    }
    total = Math.max(time - sum / 40, 1);
  }
  const rows = []; // of a step each if they are aligned, else of all steps
  const rowOf = new Map();
  const groups = [];
  let y = AXIS;
  content.groups.forEach((group, g) => {
    const top = y;
    y += TITLE;
    group.lanes.forEach(([title, depth], lane) => {
      for (let step = 0; step < (aligned ? steps : 1); step += 1) {
        const name = aligned && steps > 1 ? `${step + 1}: ${title}` : title;
        rowOf.set(`${g}/${lane}/${aligned ? step : 0}`, rows.length);
        rows.push({ group: g, title: name, y, height: ROW * depth, boxes: [], ends: [] });
        y += ROW * depth + 3;
      }
    });
    const most = Math.max(0, ...group.queue.flat().map(([, depth]) => depth));
    groups.push({ top, title: group.title, opens: group.opens, queue: y, most });
    y += (most ? QUEUE : 0) + GAP;
  });
  const { boxes } = content;
  boxes.node.forEach((_, n) => {
    const row = rowOf.get(`${boxes.group[n]}/${boxes.lane[n]}/${aligned ? boxes.step[n] : 0}`);
    rows[row].boxes.push(n);
  });
  const startOf = (n) => offsets[boxes.step[n]] + boxes.start[n];
  const endOf = (n) => startOf(n) + boxes.length[n];
  const row = new Int32Array(boxes.node.length);
  rows.forEach((r, number) => {
    let last = 0;
    for (const n of r.boxes) {
      row[n] = number;
      last = Math.max(last, endOf(n)); // so that the first one in sight is found by halving
      r.ends.push(last);
    }
  });
  return { rows, groups, offsets, total, height: y, startOf, endOf, row };
}

/** The first number from 0 to count for which `is` holds; it holds for all after that. */
function firstWhere(count, is) {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (is(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** What of a row is in sight: boxes that are `narrow` pixels wide or more, and crowds of others. */
export function inSight(place, row, boxes, from, to, scale, narrow = NARROW) {
  const singles = [];
  const crowds = [];
  const { startOf, endOf } = place;
  const last = new Map(); // depth -> the crowd that may go on
  const first = firstWhere(row.boxes.length, (i) => row.ends[i] >= from);
  for (let i = first; i < row.boxes.length; i += 1) {
    const n = row.boxes[i];
    const start = startOf(n);
    if (start > to) break;
    const end = endOf(n);
    if (end < from) continue;
    const depth = boxes.depth[n];
    if ((end - start) * scale >= narrow) {
      singles.push(n);
      last.delete(depth);
      continue;
    }
    const crowd = last.get(depth);
    if (crowd && (start - crowd.to) * scale <= 1) {
      crowd.to = Math.max(crowd.to, end);
      crowd.count += 1;
    } else {
      const begun = { from: start, to: end, depth, count: 1, box: n };
      crowds.push(begun);
      last.set(depth, begun);
    }
  }
  return { singles, crowds };
}

/** `inSight` of all rows between two heights, narrow boxes joined until few enough are left. */
export function allInSight(place, boxes, view, scale, top, bottom) {
  const rows = place.rows.filter((row) => row.y <= bottom && row.y + row.height >= top);
  for (let narrow = NARROW; ; narrow *= 2) {
    const found = rows.map((row) => [row, inSight(place, row, boxes, view.from, view.to, scale, narrow)]);
    const drawn = found.reduce((sum, [, { singles }]) => sum + singles.length, 0);
    if (drawn <= MOST_DRAWN || narrow > 40) return found;
  }
}

/** About one tick for every 110 pixels, at round numbers. */
function ticks(from, to, pixels) {
  const rough = (to - from) / Math.max(pixels / 110, 1);
  const power = 10 ** Math.floor(Math.log10(Math.max(rough, 1)));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough) ?? 10 * power;
  const found = [];
  for (let t = Math.ceil(from / step) * step; t <= to; t += step) found.push(t);
  return found;
}

