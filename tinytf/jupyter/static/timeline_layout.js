// Where the boxes of a timeline are, which of them are in sight, and where their names go. Drawn by
// timeline_draw.js; page.js stands before this file.

const TITLE = 24;
const ROW = 20;
const BAR = 17;
const LINE = 13; // of names below a row
const QUEUE = 30;
const GAP = 8;
const MARK = 3; // pixels: no box is narrower, and what is nearer than that joins its neighbours
const NARROW = 2.5; // a box of its own only if it stands alone
const CHARACTER = 6.7;
const SANS_CHARACTER = 6.4;
const SMALLEST = 40; // ns across: no closer
const MOST_LINES = 3;
const MOST_NAMED = 24; // boxes of a row with names below it

const escaped = (text) =>
  text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);
const px = (value) => String(Math.round(value * 10) / 10);
const between = (low, value, high) => Math.min(Math.max(value, low), high);

/** "350 ns", "1.25 µs", "13.1 ms". */
export function duration(ns) {
  const [one, unit] = ns >= 1e9 ? [1e9, "s"] : ns >= 1e6 ? [1e6, "ms"] : ns >= 1e3 ? [1e3, "µs"] : [1, "ns"];
  return `${Number((ns / one).toPrecision(4))} ${unit}`;
}

/** The first number from `low` to `high` for which `is` holds; it holds for all after that. */
function firstWhere(low, high, is) {
  while (low < high) {
    const middle = (low + high) >> 1;
    if (is(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** When each step begins on the axis of time, and how long all of it is. */
function axisOf(lengths, aligned) {
  if (aligned) return { offsets: lengths.map(() => 0), total: Math.max(1, ...lengths) };
  const gap = lengths.reduce((a, b) => a + b, 0) / 40; // what lies between two steps is left out
  let time = 0;
  const offsets = lengths.map((length) => {
    time += length + gap;
    return time - length - gap;
  });
  return { offsets, total: Math.max(time - gap, 1) };
}

/**
 * Where everything is, in a drawing of `width` pixels: rows from top to bottom. On a track of a row
 * no two boxes overlap, so all that lie between two times are found by halving.
 */
export function layout(content, { aligned = false, width = 960 } = {}) {
  const steps = content.lengths.length;
  const { boxes } = content;
  const { offsets, total } = axisOf(content.lengths, aligned);
  const rows = [];
  const rowOf = new Map();
  const groups = content.groups.map((group, g) => {
    const own = [];
    group.lanes.forEach(([title, depth], lane) => {
      for (let step = 0; step < (aligned ? steps : 1); step += 1) {
        const name = aligned && steps > 1 ? `step ${step + 1}, ${title}` : title;
        rowOf.set(`${g} ${lane} ${step}`, rows.length);
        own.push(rows.length);
        rows.push({ group: g, title: name, depth, tracks: Array.from({ length: depth }, () => ({ ids: [] })) });
      }
    });
    const most = Math.max(0, ...group.queue.flatMap((changes) => changes.reduce((high, [, n]) => Math.max(high, n), 0)));
    return { title: group.title, opens: group.opens, rows: own, most };
  });
  const count = boxes.start.length;
  const row = new Int32Array(count);
  for (let n = 0; n < count; n += 1) {
    row[n] = rowOf.get(`${boxes.group[n]} ${boxes.lane[n]} ${aligned ? boxes.step[n] : 0}`);
    rows[row[n]].tracks[boxes.depth[n]].ids.push(n);
  }
  const startOf = (n) => offsets[boxes.step[n]] + boxes.start[n];
  const endOf = (n) => startOf(n) + boxes.length[n];
  const queues = groups.map(({ most }) => (most ? `ready queue, up to ${most}`.length + (aligned && steps > 1 ? 9 : 0) : 0));
  const longest = Math.max(6, ...rows.map(({ title }) => title.length), ...queues) * SANS_CHARACTER + 24;
  const isNarrow = width < 600 || longest > width * 0.3; // then the names of rows stand above them
  const place = { rows, groups, offsets, total, startOf, endOf, row, aligned, width, isNarrow, gutter: isNarrow ? 10 : longest };
  place.right = Math.max(width - (width < 600 ? 24 : 64), place.gutter + 80);
  for (const { tracks } of rows) {
    for (const track of tracks) {
      track.ids.sort((a, b) => startOf(a) - startOf(b) || endOf(a) - endOf(b));
      track.starts = Float64Array.from(track.ids, startOf);
      track.ends = Float64Array.from(track.ids, endOf);
    }
  }
  setHeights(place, content);
  return place;
}

/** Rows have room for the names that are below them while all is in sight; that stays when zooming. */
function setHeights(place, content) {
  let y = 0;
  for (const group of place.groups) {
    group.top = y;
    y += TITLE;
    for (const number of group.rows) {
      const row = place.rows[number];
      const marks = rowMarks(place, row, content, { from: 0, to: place.total });
      nameMarks(marks, place, content, MOST_LINES);
      row.lines = Math.max(0, ...marks.map(({ line }) => line ?? 0));
      row.y = y;
      row.top = y + (place.isNarrow ? 15 : 0);
      row.height = row.top - y + ROW * row.depth + (row.lines ? LINE * row.lines + 5 : 0);
      y += row.height;
    }
    group.queue = y;
    if (group.most) y += QUEUE + (place.isNarrow ? 12 : 0);
    y += GAP;
  }
  place.height = y;
}

// What is in sight --------------------------------------------------------------------------------

/**
 * What to draw of a track: {n, left, right, count}, in pixels and in order. Boxes that crowd together
 * are one mark.
 */
export function marksOf(track, view, scale, gutter, until, many) {
  const { ids, starts, ends } = track;
  const x = (time) => gutter + (time - view.from) * scale;
  const marks = [];
  const past = firstWhere(0, ids.length, (i) => starts[i] > until);
  let i = firstWhere(0, past, (j) => ends[j] >= view.from);
  while (i < past) {
    const left = x(starts[i]);
    let end = Math.max(x(ends[i]), left + MARK);
    let next = i + 1;
    let count = many[ids[i]];
    while (end - left <= MARK + 0.01 || next > i + 1) { // a narrow one, or a crowd: it may go on
      const reach = view.from + (end + 1 - gutter) / scale;
      let after = firstWhere(next, past, (j) => starts[j] > reach);
      if (after > next && (ends[after - 1] - starts[after - 1]) * scale >= NARROW) after -= 1;
      if (after === next) break;
      for (let j = next; j < after; j += 1) count += many[ids[j]];
      end = Math.max(end, x(ends[after - 1]));
      next = after;
    }
    if (next < past) end = Math.max(Math.min(end, x(starts[next])), x(ends[next - 1]), left + 1);
    marks.push({ n: ids[i], left, right: end, count, boxes: next - i, to: ends[next - 1] });
    i = next;
  }
  return marks;
}

/** What to draw of a row; `depth` says on which of its tracks. */
function rowMarks(place, row, content, view) {
  const scale = (place.right - place.gutter) / (view.to - view.from);
  const until = view.to + (place.width - place.right) / scale;
  return row.tracks.flatMap((track, depth) =>
    marksOf(track, view, scale, place.gutter, until, content.boxes.many).map((mark) => Object.assign(mark, { depth })));
}

/** What is written at a box. */
function nameOf(content, n) {
  const name = content.nodes[content.boxes.node[n]].name;
  const note = content.notes[content.boxes.note[n]];
  return note.startsWith("shard") ? `${name} ${note.slice(6)}` : name;
}

/** Give names their places: in the box, beside it, or below, without touching one another. */
function nameMarks(marks, place, content, lines) {
  const leftOver = [];
  const [first, last] = [place.gutter, place.width - 4];
  marks.forEach((mark, number) => {
    const follows = marks[number + 1]?.depth === mark.depth ? marks[number + 1].left : last;
    const before = marks[number - 1]?.depth === mark.depth ? marks[number - 1].taken : first;
    mark.taken = mark.right;
    const isCrowd = mark.count > 1;
    const text = isCrowd ? `${mark.count.toLocaleString("en")} runs` : nameOf(content, mark.n);
    const wide = text.length * CHARACTER;
    const left = Math.max(mark.left, first); // a name stays in sight with its box
    if (wide + 8 <= Math.min(mark.right, place.width) - left) Object.assign(mark, { text, x: left + 4, isInside: true });
    else if (mark.right >= first && mark.right + wide + 8 <= Math.min(follows, last)) {
      Object.assign(mark, { text, x: mark.right + 4, taken: mark.right + wide + 8 });
    } else if (isCrowd) return;
    else if (mark.left <= last && mark.left - wide - 14 >= before) Object.assign(mark, { text, x: mark.left - wide - 10 });
    else leftOver.push(mark);
  });
  if (marks.length > MOST_NAMED) return;
  const free = Array(lines).fill(last + 6);
  leftOver.sort((a, b) => b.left - a.left); // from the right, so that no line crosses a name
  for (const mark of leftOver) {
    const text = nameOf(content, mark.n);
    const x = Math.max(mark.left, first) + 5;
    const line = free.findIndex((end) => x + text.length * CHARACTER + 6 <= end);
    if (line < 0 || mark.right < first || mark.left > last) continue;
    Object.assign(mark, { text, x, line: line + 1 });
    free.fill(x - 5, 0, line + 1); // no name crosses its line
  }
}

/** All rows between two heights: [row, marks with their names]. */
export function inSight(place, content, view, top, bottom) {
  return place.rows.filter((row) => row.y <= bottom && row.y + row.height >= top).map((row) => {
    const marks = rowMarks(place, row, content, view);
    nameMarks(marks, place, content, row.lines);
    return [row, marks];
  });
}

/** How busy the rows are at each of `parts` parts of the time, from 0 to 1. */
export function busyness(place, parts) {
  const busy = new Float64Array(parts);
  const share = place.total / parts;
  for (const { tracks: [{ starts, ends }] } of place.rows) {
    for (let i = 0; i < starts.length; i += 1) {
      const past = Math.min(Math.floor(ends[i] / share), parts - 1);
      for (let part = Math.floor(starts[i] / share); part <= past; part += 1) {
        busy[part] += Math.min(ends[i], (part + 1) * share) - Math.max(starts[i], part * share);
      }
    }
  }
  return busy.map((time) => time / share / Math.max(place.rows.length, 1));
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
