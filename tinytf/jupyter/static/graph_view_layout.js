// Where everything goes. Every open group is laid out by itself, the innermost first: its items in
// layers, data flowing down, so that few lines cross (Sugiyama's steps, as in
// tinytf/jupyter/layout.py). Lines into and out of a group pass its border at ports: cells without
// height, above all items and below them. What is set aside stands at the right.

const GAP = 20; // between items of a layer
const LAYER = 34; // between layers, at least
const APART = 56; // where data flows to the right: a page is wider than high
const PAD = 14;
const HEAD = 30; // the title of an open group
const LANE = 11; // between lines that lead back up, at the right-hand side
const PASS = 9; // the room of a line that passes a layer
const SWEEPS = 10;

/**
 * Boxes (absolute left, top, width, height) by item, and the pieces of lines between them. `across`:
 * data flows to the right. Then all is laid out as if it flowed down, and turned in the end: but for
 * the title of a group, which is at the top of it in any case.
 */
export function layOut(graph, open, aside, view, sizeOf, across = false) {
  const pieces = piecesOf(graph, view);
  const plans = new Map();
  const measure = (item) => {
    if (item < graph.count || (item !== graph.root && !open.has(item))) return turned(sizeOf(item), across);
    const children = graph.item(item).children;
    const sizes = new Map(children.map((child) => [child, measure(child)]));
    const title = item === graph.root ? 0 : sizeOf(item).title;
    const plan = layGroup(graph, item, aside, sizes, pieces.get(item) ?? [], plans, title, across);
    plans.set(item, plan);
    return { width: plan.width, height: plan.height };
  };
  const { width, height } = measure(graph.root);
  const boxes = new Map();
  const lines = [];
  const settle = (item, left, top) => {
    const plan = plans.get(item);
    for (const [child, box] of plan.boxes) {
      const moved = { left: left + box.left, top: top + box.top, width: box.width, height: box.height };
      boxes.set(child, moved);
      if (plans.has(child)) settle(child, moved.left, moved.top);
    }
    for (const line of plan.lines) {
      lines.push({ ...line, group: item, points: line.points.map(([x, y]) => [x + left, y + top]) });
    }
    for (const column of plan.asides) lines.asides.push({ left: left + column.left, top: top + column.top, width: 0, height: column.height });
  };
  lines.asides = [];
  settle(graph.root, 0, 0);
  if (across) {
    for (const [item, box] of boxes) boxes.set(item, turned(box, true));
    for (const line of lines) line.points = line.points.map(([x, y]) => [y, x]);
  }
  return { ...turned({ width, height }, across), boxes, lines, asides: lines.asides.map((box) => turned(box, across)), across };
}

/** A size or a box with its axes exchanged. */
function turned({ left, top, width, height, title }, across) {
  return across ? { left: top, top: left, width: height, height: width, title } : { left, top, width, height, title };
}

/** For each open group the pieces of lines in it. A port is named by the item that sends through it. */
function piecesOf(graph, view) {
  const found = new Map();
  const add = (group, from, to, line) => {
    if (!found.has(group)) found.set(group, new Map());
    const inGroup = found.get(group);
    const key = `${from} ${to} ${line.source}`;
    if (!inGroup.has(key)) inGroup.set(key, { from, to, source: line.source, edges: [], targets: [] });
    const piece = inGroup.get(key);
    piece.edges.push(...line.edges);
    piece.targets.push(line.target);
  };
  for (const line of view.lines) {
    const { level, up, down } = line;
    up.slice(1).forEach((group, at) => add(group, up[at], "out", line));
    add(level, up[up.length - 1] ?? line.source, down[down.length - 1] ?? line.target, line);
    down.slice(1).forEach((group, at) => add(group, "in", down[at], line));
  }
  return new Map([...found].map(([group, inGroup]) => [group, [...inGroup.values()]]));
}

function layGroup(graph, group, aside, sizes, pieces, plans, title, across) {
  const isRoot = group === graph.root;
  const inner = [...sizes.keys()].filter((item) => !aside.has(item));
  const cells = inner.map((item) => ({ item, width: sizes.get(item).width, height: sizes.get(item).height, pin: "" }));
  const place = new Map(inner.map((item, at) => [item, at]));
  const port = (kind, source) => {
    const key = `${kind} ${source}`;
    if (!place.has(key)) {
      place.set(key, cells.length);
      cells.push({ item: key, width: PASS, height: 0, pin: kind });
    }
    return place.get(key);
  };
  const offset = (item, kind, source) => {
    const plan = plans.get(item);
    const x = plan?.ports.get(`${kind} ${source}`);
    return x === undefined ? null : x - sizes.get(item).width / 2;
  };
  const links = pieces.map((piece) => ({
    piece,
    kind: kindOf(graph, piece),
    from: piece.from === "in" ? port("in", piece.source) : place.get(piece.from),
    to: piece.to === "out" ? port("out", piece.source) : place.get(piece.to),
    fromDx: piece.from === "in" ? 0 : offset(piece.from, "out", piece.source),
    toDx: piece.to === "out" ? 0 : offset(piece.to, "in", piece.source),
  }));
  const grid = remembered(graph, group, cells, links, across);
  const head = isRoot ? 0 : HEAD;
  const extent = across ? grid.height : grid.width; // of the side with the title
  const [beside, below] = [PAD + Math.max(0, (title - extent) / 2 - PAD), head + (isRoot ? PAD : 6)];
  const [left, top] = across ? [below, beside] : [beside, below];
  const bottom = across ? Math.max(title, extent + 2 * PAD) : top + grid.height + PAD;
  const boxes = new Map();
  const ports = new Map();
  cells.forEach((cell, at) => {
    const { x, y } = grid.places[at];
    if (cell.pin) ports.set(cell.item, x + left);
    else boxes.set(cell.item, { left: x - cell.width / 2 + left, top: y - cell.height / 2 + top, width: cell.width, height: cell.height });
  });
  const lines = links.map((link, at) => {
    const route = grid.routes[at];
    const points = route.points.map(([x, y]) => [x + left, y + top]);
    if (cells[link.from].pin) points[0] = [points[0][0], 0];
    if (cells[link.to].pin) points[points.length - 1] = [points[points.length - 1][0], bottom];
    return { ...link.piece, points, back: route.back, ends: !cells[link.to].pin && !plans.has(link.piece.to) };
  });
  const width = across ? left + grid.width + PAD : Math.max(title, grid.width + 2 * PAD);
  const plan = { boxes, ports, lines, asides: [], width, height: bottom };
  const alone = [...sizes.keys()].filter((item) => aside.has(item));
  if (alone.length) standAside(plan, alone, sizes, across ? 0 : head, across ? [28, 0] : [16, 22]);
  return plan;
}

/** What is open elsewhere changes little: a group whose cells and links are the same stays. */
function remembered(graph, group, cells, links, across) {
  const key = JSON.stringify([across, cells, links.map((link) => [link.from, link.to, link.fromDx, link.toDx, link.kind, link.piece.source])]);
  graph.grids ??= new Map();
  if (graph.grids.get(group)?.key !== key) graph.grids.set(group, { key, grid: layCells(cells, links, across ? APART : LAYER) });
  return graph.grids.get(group).grid;
}

/** Lines that look alike may share their way: those of values, of references, of control. */
function kindOf(graph, piece) {
  const edges = piece.edges.map((at) => graph.edges[at]);
  return edges.some((edge) => edge.isRef) ? "reference" : edges.every((edge) => edge.output < 0) ? "control" : "value";
}

/** The column of what is set aside, at the right of everything else in its group; `words`: the room for its title. */
function standAside(plan, beside, sizes, head, words) {
  const start = plan.width - PAD + (plan.boxes.size ? 44 : 0);
  const first = head + PAD + words[1];
  let [x, y, widest] = [start + words[0], first, 0];
  const tallest = Math.max(plan.height - PAD, ...beside.map((item) => sizes.get(item).height + y), 260);
  let bottom = y;
  for (const item of beside) {
    const { width, height } = sizes.get(item);
    if (y + height > tallest && y > first) [x, y, widest] = [x + widest + GAP, first, 0];
    plan.boxes.set(item, { left: x, top: y, width, height });
    widest = Math.max(widest, width);
    y += height + 16;
    bottom = Math.max(bottom, y);
  }
  plan.width = Math.max(x + widest, start + (words[1] ? 90 : 0)) + PAD;
  const grown = Math.max(plan.height, bottom + PAD - 8);
  for (const line of plan.lines) {
    const last = line.points[line.points.length - 1];
    if (line.to === "out") last[1] = grown;
  }
  plan.height = grown;
  plan.asides.push({ left: start, top: head + PAD, height: grown - head - 2 * PAD });
}

// -------------------------------------------------------------------------------- cells in layers

/** Places of cells (centres) and routes of links; left and top of everything is 0. */
export function layCells(cells, links, least = LAYER) {
  if (!cells.length) return { places: [], routes: [], width: 60, height: 10 };
  const back = findBack(cells.length, links);
  const layer = findLayers(cells, links, back);
  const lonely = loners(cells, links);
  const all = cells.map((cell, at) => ({ ...cell, layer: layer[at], up: [], down: [], x: 0, node: true }));
  const trunks = new Map();
  const chains = links.map((link, at) => (back.has(at) ? null : chain(all, link, trunks)));
  const rows = [];
  all.forEach((cell, at) => !lonely.has(at) && (rows[cell.layer] ??= []).push(at));
  const grid = { cells: all, rows: Array.from(rows, (row) => row ?? []) };
  orderRows(grid);
  placeCells(grid);
  return finish(grid, cells, links, chains, back, lonely, least);
}

/** Cells without any line: they are set in a block of their own, below. */
function loners(cells, links) {
  const linked = new Set(links.flatMap((link) => [link.from, link.to]));
  return new Set([...cells.keys()].filter((at) => !linked.has(at)));
}

/** The links that close a cycle. */
function findBack(count, links) {
  const out = Array.from({ length: count }, () => []);
  links.forEach((link, at) => out[link.from].push(at));
  const state = new Array(count).fill(0);
  const back = new Set();
  for (let start = 0; start < count; start++) {
    if (state[start]) continue;
    const path = [[start, 0]];
    state[start] = 1;
    while (path.length) {
      const top = path[path.length - 1];
      const link = out[top[0]][top[1]++];
      if (link === undefined) {
        state[top[0]] = 2;
        path.pop();
      } else if (state[links[link].to] === 1) back.add(link);
      else if (state[links[link].to] === 0) {
        state[links[link].to] = 1;
        path.push([links[link].to, 0]);
      }
    }
  }
  return back;
}

/** Longest path; ports at the outer layers; sources next to what first needs them. */
function findLayers(cells, links, back) {
  const targets = cells.map(() => []);
  const missing = cells.map(() => 0);
  links.forEach((link, at) => {
    if (back.has(at)) return;
    targets[link.from].push(link.to);
    missing[link.to] += 1;
  });
  const first = cells.some((cell) => cell.pin === "in") ? 1 : 0;
  const layer = cells.map((cell) => (cell.pin === "in" ? 0 : first));
  const sources = [...cells.keys()].filter((at) => missing[at] === 0);
  const order = [...sources];
  for (const at of order) {
    for (const target of targets[at]) {
      layer[target] = Math.max(layer[target], layer[at] + 1);
      if (--missing[target] === 0) order.push(target);
    }
  }
  for (const at of sources) {
    if (targets[at].length && !cells[at].pin) layer[at] = Math.min(...targets[at].map((t) => layer[t])) - 1;
  }
  const last = 1 + Math.max(...cells.map((cell, at) => (cell.pin === "out" ? 0 : layer[at])));
  cells.forEach((cell, at) => { if (cell.pin === "out") layer[at] = last; });
  return layer;
}

/**
 * The cells of a link, from its source to its target, with one for each layer that it passes. Links
 * of one sender share these: a trunk with branches is easier to follow than many parallel lines.
 */
function chain(all, link, trunks) {
  const way = [link.from];
  const connect = (upper, lower, here, there) => {
    all[upper].down.push({ at: lower, here, there });
    all[lower].up.push({ at: upper, here: there, there: here });
  };
  const start = link.fromDx ?? 0;
  for (let layer = all[link.from].layer + 1; layer < all[link.to].layer; layer++) {
    const key = `${link.from} ${link.piece.source} ${link.kind} ${layer}`;
    if (!trunks.has(key)) {
      trunks.set(key, all.length);
      all.push({ layer, width: PASS, height: 0, up: [], down: [], x: 0, node: false, pin: "" });
      connect(way[way.length - 1], trunks.get(key), way.length === 1 ? start : 0, 0);
    }
    way.push(trunks.get(key));
  }
  connect(way[way.length - 1], link.to, way.length === 1 ? start : 0, link.toDx ?? 0);
  way.push(link.to);
  return way;
}

/** Sweep down and up by barycentres; keep the order with the fewest crossings. */
function orderRows(grid) {
  const { cells } = grid;
  const position = new Array(cells.length).fill(0);
  const number = () => grid.rows.forEach((row) => row.forEach((cell, at) => { position[cell] = at; }));
  const near = (end) => position[end.at] + end.there / (cells[end.at].width + 1) * 0.9;
  const crossings = () => {
    let total = 0;
    for (const row of grid.rows) {
      const ends = row.flatMap((at) => cells[at].down
        .map((end) => [position[at] + end.here / (cells[at].width + 1) * 0.9, near(end)]));
      ends.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
      for (let i = 0; i < ends.length; i++) {
        for (let j = i + 1; j < ends.length; j++) {
          if (ends[i][0] < ends[j][0] && ends[i][1] > ends[j][1]) total += 1;
        }
      }
    }
    return total;
  };
  number();
  let best = grid.rows.map((row) => [...row]);
  let fewest = crossings();
  for (let sweep = 0; sweep < SWEEPS && fewest > 0; sweep++) {
    const down = sweep % 2 === 0;
    const rows = down ? grid.rows : [...grid.rows].reverse();
    for (const row of rows) {
      const wanted = new Map(row.map((at, place) => {
        const ends = down ? cells[at].up : cells[at].down;
        return [at, ends.length ? ends.reduce((sum, end) => sum + near(end), 0) / ends.length : place];
      }));
      row.sort((a, b) => wanted.get(a) - wanted.get(b));
      row.forEach((cell, at) => { position[cell] = at; });
    }
    const now = crossings();
    if (now < fewest) [best, fewest] = [grid.rows.map((row) => [...row]), now];
  }
  grid.rows = best;
}

/** Choose x: close to the neighbours, none on top of another. */
function placeCells({ cells, rows }) {
  for (const row of rows) settleRow(cells, row, () => 0);
  for (let sweep = 0; sweep < 2 * SWEEPS + 1; sweep++) {
    const down = sweep % 2 === 0;
    for (const row of down ? rows : [...rows].reverse()) {
      settleRow(cells, row, (at) => {
        const cell = cells[at];
        const [first, second] = down ? [cell.up, cell.down] : [cell.down, cell.up];
        const ends = first.length ? first : second;
        let [total, weight] = [0, 0];
        for (const end of ends) { // long lines should be straight, then chains of boxes
          const share = cells[end.at].node ? (cell.node ? 3 : 1) : cell.node ? 1 : 6;
          total += share * (cells[end.at].x + end.there - end.here);
          weight += share;
        }
        return weight ? total / weight : cell.x;
      });
    }
  }
}

/** The nearest places to the wanted ones that keep the gaps: neighbours in conflict meet halfway. */
function settleRow(cells, row, wantedOf) {
  const blocks = [];
  let offset = 0;
  const offsets = row.map((at, place) => {
    if (place) offset += (cells[row[place - 1]].width + cells[at].width) / 2 + GAP;
    return offset;
  });
  row.forEach((at, place) => {
    let block = { x: wantedOf(at) - offsets[place], weight: cells[at].node ? 1 : 4, count: 1 };
    while (blocks.length && blocks[blocks.length - 1].x > block.x) {
      const last = blocks.pop();
      const weight = last.weight + block.weight;
      block = { x: (last.x * last.weight + block.x * block.weight) / weight, weight, count: last.count + block.count };
    }
    blocks.push(block);
  });
  let place = 0;
  for (const block of blocks) {
    for (let i = 0; i < block.count; i++, place++) cells[row[place]].x = block.x + offsets[place];
  }
}

// --------------------------------------------------------------------------------------- finish

function finish(grid, cells, links, chains, back, lonely, least) {
  const placed = grid.rows.flat().map((at) => grid.cells[at]);
  const left = Math.min(0, ...placed.map((cell) => cell.x - cell.width / 2));
  const shift = placed.length ? -Math.min(...placed.map((cell) => cell.x - cell.width / 2)) : -left;
  placed.forEach((cell) => { cell.x += shift; });
  const bands = stack(grid, links, back, least);
  const places = grid.cells.slice(0, cells.length).map((cell) => ({
    x: cell.x, y: ((bands[cell.layer]?.top ?? 0) + (bands[cell.layer]?.bottom ?? 0)) / 2,
  }));
  let width = Math.max(0, ...placed.map((cell) => cell.x + cell.width / 2));
  let height = bands.length ? bands[bands.length - 1].bottom + (back.size ? LAYER / 2 : 0) : 0;
  const right = width;
  const ends = endsOf(grid, cells, links, chains, back, places);
  const routes = links.map((link, at) => {
    const start = [ends.leave[at], places[link.from].y + cells[link.from].height / 2];
    const stop = [ends.enter[at], places[link.to].y - cells[link.to].height / 2];
    if (!back.has(at)) return { points: [start, ...passing(grid, chains[at], bands, start, stop), stop], back: false };
    width += LANE;
    const near = 4 * ((width - right) / LANE % 3);
    const below = bands[grid.cells[link.from].layer].bottom + 9 + near;
    const upper = bands[grid.cells[link.to].layer].top - 12 - near;
    return { points: [start, [start[0], below], [width, below], [width, upper], [stop[0], upper], stop], back: true };
  });
  if (back.size) width += LANE;
  if (lonely.size) ({ width, height } = block(cells, lonely, places, width, height));
  return { places, routes, width, height };
}

/** Top and bottom of each layer; the further lines swing below one, the more room is there. */
function stack(grid, links, back, room) {
  const spans = grid.rows.map(() => 0);
  for (const cell of grid.cells) {
    for (const end of cell.down) {
      const span = Math.abs(cell.x + end.here - grid.cells[end.at].x - end.there);
      spans[cell.layer] = Math.max(spans[cell.layer] ?? 0, span);
    }
  }
  const backAt = new Set([...back].flatMap((at) => [grid.cells[links[at].from].layer, grid.cells[links[at].to].layer - 1]));
  let top = backAt.has(-1) ? LAYER : 0;
  const isPorts = (row = []) => row.length > 0 && row.every((cell) => grid.cells[cell].pin || !grid.cells[cell].node);
  return grid.rows.map((row, at) => {
    const bottom = top + Math.max(0, ...row.map((cell) => grid.cells[cell].height));
    const band = { top, bottom };
    const least = isPorts(row) || isPorts(grid.rows[at + 1]) ? 8 : room;
    top = bottom + Math.min(50 + room, least + spans[at] * 0.06 + (backAt.has(at) ? 14 : 0));
    return band;
  });
}

/** From layer to layer; inside one, straight down. */
function passing(grid, way, bands, start, stop) {
  const first = bands[grid.cells[way[0]].layer];
  const points = [[start[0], first.bottom]];
  for (const at of way.slice(1, -1)) {
    const cell = grid.cells[at];
    points.push([cell.x, bands[cell.layer].top], [cell.x, bands[cell.layer].bottom]);
  }
  points.push([stop[0], bands[grid.cells[way[way.length - 1]].layer].top]);
  return points;
}

/** Where links leave and enter: at a port, or spread over the side of a box by direction. */
function endsOf(grid, cells, links, chains, back, places) {
  const leave = new Array(links.length).fill(0);
  const enter = new Array(links.length).fill(0);
  const sides = new Map();
  links.forEach((link, at) => {
    const towards = (way, step) => (back.has(at) ? Infinity : grid.cells[way.at(step)].x);
    for (const [node, dx, ends, x] of [
      [link.from, link.fromDx, leave, towards(chains[at], 1)],
      [link.to, link.toDx, enter, towards(chains[at], -2)],
    ]) {
      if (dx !== null) ends[at] = places[node].x + dx;
      else {
        const key = `${node} ${ends === leave}`;
        if (!sides.has(key)) sides.set(key, []);
        const side = sides.get(key);
        const trunk = ends === leave && chains[at]?.length > 2 ? chains[at][1] : -1;
        const shared = trunk >= 0 && side.find((end) => end.trunk === trunk);
        if (shared) shared.all.push(at);
        else side.push({ all: [at], ends, x, node, trunk });
      }
    }
  });
  for (const side of sides.values()) {
    side.sort((a, b) => a.x - b.x || a.all[0] - b.all[0]);
    const step = Math.min(16, cells[side[0].node].width * 0.6 / side.length);
    side.forEach(({ all, ends, node }, place) => {
      for (const at of all) ends[at] = places[node].x + (place - (side.length - 1) / 2) * step;
    });
  }
  return { leave, enter };
}

/** What has no lines, in rows below everything else. */
function block(cells, lonely, places, width, height) {
  const items = [...lonely];
  const total = items.reduce((sum, at) => sum + cells[at].width + GAP, 0);
  const wide = Math.max(width, Math.min(total, 1.6 * Math.sqrt(total * 60)));
  let [x, y, tall, widest] = [0, height ? height + LAYER : 0, 0, 0];
  for (const at of items) {
    if (x && x + cells[at].width > wide) [x, y, tall] = [0, y + tall + GAP, 0];
    places[at] = { x: x + cells[at].width / 2, y: y + cells[at].height / 2 };
    x += cells[at].width + GAP;
    widest = Math.max(widest, x - GAP);
    tall = Math.max(tall, cells[at].height);
  }
  return { width: Math.max(width, widest), height: y + tall };
}
