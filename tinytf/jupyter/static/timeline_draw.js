// The drawing of a timeline: three layers of SVG (what lies behind the boxes, the boxes, what is
// pointed at), and above them an axis with all of the time as a strip. Only what is in sight is
// drawn; where there is too much of it, narrow boxes are drawn as one path for each colour.

const MOST_GROUPS = 350; // boxes that are elements of their own, besides those with a name
const MOST_ARROWS = 150; // more cannot be told apart
const OVERVIEW = 20;
const HEAD = OVERVIEW + 24;
const PARTS = 240; // of the strip

const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;

/** The strings of a drawing; `place` is of timeline_layout.js. */
function makePen(content, place, view) {
  const { boxes, nodes } = content;
  const { gutter, right, width } = place;
  const scale = (right - gutter) / (view.to - view.from);
  const x = (time) => gutter + (time - view.from) * scale;
  const clamp = (value) => between(gutter - 4, value, width + 4);
  const topOf = (n) => place.rows[place.row[n]].top + ROW * boxes.depth[n];

  /** A curve from the end of one box to another one. */
  function arrow(source, target, name) {
    const leaves = place.endOf(source);
    const isLate = name === "sent" && place.startOf(target) < leaves; // it was waiting for it
    const [x0, x1] = [x(leaves), x(isLate ? place.endOf(target) : place.startOf(target))];
    if (Math.max(x0, x1) < gutter || Math.min(x0, x1) > width) return "";
    if (Math.abs(x0) > 1e5 || Math.abs(x1) > 1e5) return "";
    const [y0, y1] = [topOf(source) + BAR / 2, topOf(target) + BAR / 2];
    const bend = Math.max(12, Math.abs(x1 - x0) / 2);
    const up = y0 < y1 ? -1 : 1; // what waited for it is entered from above or below, at its end
    const [x2, y2] = isLate ? [x1 - 5, y1 + (up * BAR) / 2] : [x1, y1];
    const curve = isLate ? `${px(x2)} ${px(y2 + up * 24)}` : `${px(x2 - bend)} ${px(y2)}`;
    return `<path class="tinytf-${name}" data-arrow="${source}-${target}" d="M${px(x0)} ${px(y0)}C${px(x0 + bend)} ${px(y0)} ` +
      `${curve} ${px(x2)} ${px(y2)}"/><path class="tinytf-${name}-head" d="M${px(x2)} ${px(y2)}l${isLate ? `-3.5 ${7 * up}h7` : "-7 -3.5v7"}z"/>`;
  }

  function box(mark, row) {
    const { n } = mark;
    const node = nodes[boxes.node[n]];
    const [left, end] = [clamp(mark.left), clamp(mark.right)];
    const y = row.top + ROW * mark.depth;
    const below = row.top + ROW * row.depth + LINE * (mark.line ?? 0) - 3;
    const text = mark.text ? `<text x="${px(mark.x)}" y="${px(mark.line ? below : y + 12.5)}">${escaped(mark.text)}</text>` : "";
    const paper = text && !mark.isInside
      ? `<rect class="tinytf-paper" x="${px(mark.x - 2)}" y="${px((mark.line ? below : y + 12.5) - 9)}" width="${px(mark.text.length * CHARACTER + 4)}" height="12"/>` : "";
    const leader = mark.line ? `<path class="tinytf-leader" d="M${px(left + 1.5)} ${px(y + BAR)}V${px(below)}"/>` : "";
    const data = `${mark.isInside ? " data-inside" : ""}${mark.right - mark.left <= MARK + 1 ? " data-narrow" : ""}`;
    return `<g data-box="${n}" data-node="${escaped(node.name)}" data-kind="${node.kind}" data-what="${node.what}"${data}>` +
      `<rect x="${px(left)}" y="${px(y)}" width="${px(Math.max(end - left, 1))}" height="${BAR}" rx="2"/>${leader}${paper}${text}</g>`;
  }

  /** Everything of the rows in sight, and how many boxes that are: {text, seen, drawn}. */
  function rows(shown) {
    const singles = shown.flatMap(([, marks]) => marks.filter(({ count }) => count === 1));
    const widths = singles.map(({ left, right: end }) => end - left).sort((a, b) => b - a);
    const least = widths.length > MOST_GROUPS ? widths[MOST_GROUPS] : 0;
    const parts = [];
    const paths = {};
    let seen = 0;
    for (const [row, marks] of shown) {
      for (const mark of marks) {
        seen += mark.count;
        if (mark.count === 1 && (mark.text || mark.right - mark.left > least || !least)) {
          parts.push(box(mark, row));
          continue;
        }
        const what = mark.count === 1 ? nodes[boxes.node[mark.n]].what : "many";
        const [left, end] = [clamp(mark.left), clamp(mark.right)];
        (paths[what] ??= []).push(`M${px(left)} ${px(row.top + ROW * mark.depth)}h${px(end - left)}v${BAR}h${px(left - end)}z`);
        if (mark.text) parts.push(`<text class="tinytf-many"${mark.isInside ? " data-inside" : ""} x="${px(mark.x)}" y="${px(row.top + ROW * mark.depth + 12.5)}">${mark.text}</text>`);
      }
    }
    const drawn = Object.entries(paths).map(([what, d]) => `<path data-${what === "many" ? "kind" : "what"}="${what}" d="${d.join("")}"/>`);
    return { text: drawn.join("") + parts.join(""), seen, drawn: parts.length + drawn.length, isCrowded: "many" in paths };
  }

  function queue(group, { queue: y, most }) {
    const floor = y + QUEUE - 4 + (place.isNarrow ? 12 : 0);
    const high = (QUEUE - 8) / most;
    let d = "";
    content.groups[group].queue.forEach((changes, step) => {
      if (!changes.length || (step > 0 && place.aligned)) return;
      const time = (i) => place.offsets[step] + changes[i][0];
      const first = Math.max(firstWhere(0, changes.length, (i) => time(i) > view.from) - 1, 0);
      if (x(time(first)) > width) return;
      d += `M${px(clamp(x(time(first))))} ${floor}`;
      for (let i = first; i < changes.length && x(time(i)) <= width;) {
        const at = clamp(x(time(i)));
        // Changes in the same pixel cannot be told apart: the deepest, and then the last of them.
        const next = Math.max(firstWhere(i, changes.length, (j) => clamp(x(time(j))) > at + 1), i + 1);
        let deepest = 0;
        for (let j = i; j < next; j += Math.max(1, (next - i) >> 5)) deepest = Math.max(deepest, changes[j][1]);
        d += `H${px(at)}V${px(floor - deepest * high)}V${px(floor - changes[next - 1][1] * high)}`;
        i = next;
      }
      d += `H${px(clamp(x(time(changes.length - 1))))}V${floor}Z`;
    });
    return `<path class="tinytf-depth" data-group="${group}" d="${d}"/>`;
  }

  /** The names of the rows, on paper: what slides past them is hidden. */
  function names() {
    const parts = place.isNarrow ? [] : [`<rect class="tinytf-gutter" x="0" y="0" width="${gutter - 4}" height="${place.height}"/>`];
    place.groups.forEach(({ top, title, opens, queue: y, most }) => {
      parts.push(`<path class="tinytf-rule"${opens ? ' data-opens="true"' : ""} d="M0 ${px(top + 0.5)}H${width}"/>` +
        `<text class="tinytf-device-name" x="6" y="${top + 16}">${escaped(title)}</text>`);
      const which = place.aligned && content.lengths.length > 1 ? " (step 1)" : "";
      if (most) parts.push(`<text class="tinytf-thread" x="12" y="${px(y + (place.isNarrow ? 11 : 17))}">ready queue, up to ${most}${which}</text>`);
    });
    for (const row of place.rows) {
      parts.push(`<text class="tinytf-thread" x="12" y="${px(row.y + (place.isNarrow ? 11 : 12.5))}">${escaped(row.title)}</text>`);
    }
    return parts.join("");
  }

  /** Lines through all rows, and the times that are written above them: [lines, texts]. */
  function axis() {
    const [lines, texts] = [[], []];
    let free = -Infinity;
    content.lengths.forEach((length, step) => {
      if (step > 0 && place.aligned) return;
      const begin = place.offsets[step];
      const reach = place.aligned ? place.total : length;
      const [from, to] = [Math.max(view.from - begin, 0), Math.min(view.to + (width - right) / scale - begin, reach)];
      if (to < from) return;
      const mark = (time, text, strong) => {
        const at = x(begin + time);
        if (at < gutter - 1 || at > width) return;
        lines.push(`<path class="tinytf-${strong ? "rule" : "tick"}" d="M${px(at)} 0V${place.height - GAP}"/>`);
        texts.push(`<path class="tinytf-tick" d="M${px(at)} ${OVERVIEW + 4}V${HEAD}"/>`);
        if (at < free || at + 3 + text.length * SANS_CHARACTER > width) return;
        texts.push(`<text class="tinytf-when" x="${px(at + 4)}" y="${OVERVIEW + 17}">${text}</text>`);
        free = at + text.length * SANS_CHARACTER + 12;
      };
      if (from === 0) mark(0, content.lengths.length > 1 && !place.aligned ? `step ${step + 1}` : "0", true);
      for (const time of ticks(from, to, (to - from) * scale)) if (time > 0) mark(time, `+${duration(time)}`, false);
    });
    return [lines.join(""), texts.join("")];
  }

  /** All of the time in a strip, and which part of it is in sight. */
  function overview(busy) {
    const wide = right - gutter;
    const at = (part) => px(gutter + (part / PARTS) * wide);
    let d = `M${at(0)} ${OVERVIEW}`;
    const most = Math.max(...busy, 1e-9);
    busy.forEach((share, part) => { d += `V${px(OVERVIEW - 1 - (share / most) * (OVERVIEW - 7))}H${at(part + 1)}`; });
    const [from, to] = [view.from, view.to].map((time) => gutter + (time / place.total) * wide);
    return `<g class="tinytf-overview"><rect class="tinytf-all" x="${gutter}" y="5" width="${px(wide)}" height="${OVERVIEW - 5}" rx="2"/>` +
      `<path class="tinytf-busy" d="${d}V${OVERVIEW}Z"/>` +
      `<rect class="tinytf-view-window" x="${px(from)}" y="4.5" width="${px(Math.max(to - from, 3))}" height="${OVERVIEW - 4}" rx="2"/></g>`;
  }

  return { x, clamp, scale, topOf, arrow, rows, queue, names, axis, overview };
}
