// Where rooms go, for the width of the window: the same rules as in tinytf/jupyter/rooms.py.

const [GAP, TITLE, PAD, EDGE] = [34, 40, 4, 12];
const SMALLEST = 0.8; // how small a drawing may be drawn so that it fits

/** Put rectangles [width, height] as high up as they fit, then as far to the left: [x, y, width, height]. */
export function pack(sizes, width, gap = 0) {
  const placed = [];
  for (const [wide, high] of sizes) {
    let best = null;
    const lefts = [...new Set([0, ...placed.map(([x, , w]) => x + w + gap)])].sort((a, b) => a - b);
    for (const x of lefts) {
      if (x && x + wide > width) continue;
      const above = placed.filter(([left, , w]) => left < x + wide + gap && x < left + w + gap);
      const y = Math.max(0, ...above.map(([, top, , h]) => top + h + gap));
      if (!best || y < best[1]) best = [x, y];
    }
    placed.push([...best, wide, high]);
  }
  return placed;
}

/**
 * Rooms with their pieces [room, width, height]; `least`: of each room's title. As low as it can be, if
 * need be a little wider than told.
 */
export function planFloor(pieces, least, width) {
  const plans = [width, width / 0.9, width / SMALLEST].flatMap((wide) => (
    [1, 2, 3, 4].map((columns) => planOf(pieces, least, wide - 2 * EDGE, columns))));
  const cost = (plan) => {
    const scale = Math.min(1, width / plan.width);
    return [Math.max(SMALLEST - scale - 0.001, 0), plan.height / scale ** 0.5];
  };
  return plans.reduce((best, plan) => {
    const [[a, b], [c, d]] = [cost(plan), cost(best)];
    return a < c || (a === c && b < d) ? plan : best;
  });
}

const end = (areas, side, otherwise) => Math.max(otherwise, ...areas.map((area) => area[side] + area[side + 2]));

function planOf(pieces, least, width, columns) {
  const limit = (width - GAP * (columns - 1)) / columns - 2 * PAD;
  const inside = [];
  const sizes = least.map((title, room) => {
    const own = [...pieces.keys()].filter((at) => pieces[at][0] === room);
    const areas = pack(own.map((at) => pieces[at].slice(1)), limit);
    own.forEach((at, n) => { inside[at] = areas[n]; });
    return [Math.max(title, end(areas, 0, 0) + 2 * PAD), TITLE + end(areas, 1, 0) + PAD];
  });
  const rooms = pack(sizes, width, GAP).map(([x, y, w, h]) => [x + EDGE, y + EDGE, w, h]);
  const corners = pieces.map(([room], at) => [rooms[room][0] + PAD + inside[at][0], rooms[room][1] + TITLE + inside[at][1]]);
  return { width: end(rooms, 0, EDGE) + EDGE, height: end(rooms, 1, EDGE) + EDGE, rooms, corners };
}

/** The curve between two boxes {x, y, width, height} (x, y: the middle), and the corners of its head. */
export function curve(a, b) {
  const [dx, dy] = [b.x - a.x, b.y - a.y];
  const across = Math.abs(dx) - (a.width + b.width) / 2;
  const down = Math.abs(dy) - (a.height + b.height) / 2;
  const n1 = (points) => points.map(([x, y]) => `${x.toFixed(1)} ${y.toFixed(1)}`);
  if (down > across) {
    const to = dy > 0 ? 1 : -1;
    const [y0, y1] = [a.y + (to * a.height) / 2, b.y - (to * b.height) / 2];
    const bend = to * Math.max(down / 2, 24);
    const [start, ...rest] = n1([[a.x, y0], [a.x, y0 + bend], [b.x, y1 - bend], [b.x, y1 - 6 * to]]);
    return [`M${start}C${rest.join(" ")}`, [[b.x, y1], [b.x - 4.5, y1 - 9 * to], [b.x + 4.5, y1 - 9 * to]]];
  }
  const to = dx > 0 ? 1 : -1;
  const [x0, x1] = [a.x + (to * a.width) / 2, b.x - (to * b.width) / 2];
  const bend = to * Math.max(across / 2, 24);
  const [start, ...rest] = n1([[x0, a.y], [x0 + bend, a.y], [x1 - bend, b.y], [x1 - 6 * to, b.y]]);
  return [`M${start}C${rest.join(" ")}`, [[x1, b.y], [x1 - 9 * to, b.y - 4.5], [x1 - 9 * to, b.y + 4.5]]];
}

/** Lay a drawing out anew for a width. */
function furnish(svg, width) {
  const rooms = [...svg.querySelectorAll(".tinytf-room")];
  const pieces = [...svg.querySelectorAll(".tinytf-piece")];
  if (!rooms.length) return;
  const sizes = pieces.map((g) => [Number(g.dataset.in), ...g.dataset.size.split(" ").map(Number)]);
  const plan = planFloor(sizes, rooms.map((g) => Number(g.dataset.least)), width);
  rooms.forEach((g, n) => {
    const [x, y, w, h] = plan.rooms[n];
    g.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
    g.querySelector("rect").setAttribute("width", w.toFixed(1));
    g.querySelector("rect").setAttribute("height", h.toFixed(1));
  });
  const boxes = new Map();
  pieces.forEach((g, n) => {
    const [x, y] = plan.corners[n];
    g.setAttribute("transform", `translate(${x.toFixed(1)} ${y.toFixed(1)})`);
    for (const node of g.querySelectorAll("[data-node]")) {
      const box = node.querySelector(".tinytf-shape").getBBox();
      boxes.set(node.dataset.node, { x: x + box.x + box.width / 2, y: y + box.y + box.height / 2, width: box.width, height: box.height });
    }
  });
  for (const edge of svg.querySelectorAll(":scope > .tinytf-edge")) {
    const [line, tip] = curve(boxes.get(edge.dataset.source), boxes.get(edge.dataset.target));
    for (const path of edge.querySelectorAll("path")) path.setAttribute("d", line);
    edge.querySelector(".tinytf-head").setAttribute("points", tip.map((point) => point.join(",")).join(" "));
  }
  svg.setAttribute("viewBox", `0 0 ${plan.width.toFixed(1)} ${plan.height.toFixed(1)}`);
}
