// What a drawing of a graph shows: the same as tinytf/jupyter/graph_view_tree.py, in the browser.
// An item is a node, by its number, or a group: numbers from the count of nodes on; the root last.

/** The message of tinytf/jupyter/graph_view.py as objects. */
export function prepare(content) {
  const count = content.nodes.length;
  const labels = new Map(content.labels);
  const nodes = content.nodes.map((row, id) => {
    const [name, type, device, asked, line, attrs, flat, controls, outputs, value, note, calls] = row;
    const inputs = [];
    for (let i = 0; i < flat.length; i += 2) inputs.push([flat[i], flat[i + 1]]);
    return {
      id, name, inputs, controls, value, note, calls,
      label: labels.get(id) ?? name.slice(name.lastIndexOf("/") + 1),
      type: content.types[type][0], form: content.types[type][1], device: content.devices[device],
      asked: content.asked[asked], line: content.lines[line], attrs: attrs.map((n) => content.attrs[n]),
      outputs: outputs.map((n) => content.outputs[n]),
    };
  });
  const groups = content.groups.map(([label, kind, core, path, loop], number) => (
    { id: count + number, label, kind, core, path, loop, children: [], size: 0 }
  ));
  const { parent } = content;
  parent.forEach((group, item) => group >= 0 && groups[group - count].children.push(item));
  for (let node = 0; node < count; node++) {
    for (let item = parent[node]; item >= 0; item = parent[item]) groups[item - count].size += 1;
  }
  const edges = [];
  for (const node of nodes) {
    for (const [source, output] of node.inputs) {
      const text = nodes[source].outputs[output] ?? "";
      edges.push({ source, target: node.id, output, text, isRef: /_ref\b/.test(text) });
    }
    for (const source of node.controls) {
      edges.push({ source, target: node.id, output: -1, text: "", isRef: false });
    }
  }
  const inCycle = new Set();
  for (const cycle of content.cycles) {
    cycle.forEach((node, at) => inCycle.add(`${node} ${cycle[(at + 1) % cycle.length]}`));
  }
  edges.forEach((edge) => { edge.inCycle = inCycle.has(`${edge.source} ${edge.target}`); });
  const out = nodes.map(() => []);
  edges.forEach((edge, number) => out[edge.source].push(number));
  const root = parent.length - 1;
  return { ...content, count, nodes, groups, parent, edges, out, root, item: (id) => (id < count ? nodes[id] : groups[id - count]) };
}

/** The groups an item is in, the innermost first. */
export function above(graph, item) {
  const found = [];
  for (let at = graph.parent[item]; at >= 0; at = graph.parent[at]) found.push(at);
  return found;
}

/** The innermost group that holds both items, and on either side the items on the way to it. */
export function meet(graph, a, b) {
  const ways = [[a, ...above(graph, a)], [b, ...above(graph, b)]];
  const place = new Map(ways[0].map((item, at) => [item, at]));
  let at = a === b ? 1 : 0;
  while (!place.has(ways[1][at])) at += 1;
  const level = ways[1][at];
  return { level, up: ways[0].slice(0, place.get(level)), down: ways[1].slice(0, at) };
}

/** What is shown when these groups are open. Every edge is in it exactly once. */
export function viewOf(graph, open, aside) {
  const shown = new Array(graph.count);
  const visit = (item, shownAs) => {
    if (item < graph.count) shown[item] = shownAs ?? item;
    else {
      const as = shownAs ?? (item === graph.root || open.has(item) ? null : item);
      for (const child of graph.item(item).children) visit(child, as);
    }
  };
  visit(graph.root, null);
  const pairs = new Map();
  const inside = new Map();
  graph.edges.forEach((edge, number) => {
    const [a, b] = [shown[edge.source], shown[edge.target]];
    if (a === b && a >= graph.count) {
      if (!inside.has(a)) inside.set(a, []);
      inside.get(a).push(number);
      return;
    }
    const key = a * (graph.root + 1) + b;
    if (!pairs.has(key)) pairs.set(key, { source: a, target: b, edges: [], ...meet(graph, a, b) });
    pairs.get(key).edges.push(number);
  });
  const lines = [];
  const beside = [];
  for (const line of pairs.values()) {
    const isBeside = [...line.up, ...line.down].some((item) => aside.has(item));
    (isBeside ? beside : lines).push(line);
  }
  return { shown, lines, beside, inside };
}

/** All nodes that an item needs, its own among them: what a step that fetches it would run. */
export function needs(graph, item) {
  const found = new Set();
  const waiting = [];
  const visit = (id) => (id < graph.count ? waiting.push(id) : graph.item(id).children.forEach(visit));
  visit(item);
  while (waiting.length) {
    const id = waiting.pop();
    if (found.has(id)) continue;
    found.add(id);
    waiting.push(...graph.nodes[id].inputs.map(([source]) => source), ...graph.nodes[id].controls);
  }
  return found;
}

/** In words: what flows along some edges. */
export function flow(graph, numbers) {
  const edges = numbers.map((n) => graph.edges[n]);
  const tensors = edges.filter((edge) => edge.output >= 0);
  const controls = edges.length - tensors.length;
  const parts = [];
  if (tensors.length) parts.push(plural(tensors.length, "tensor"));
  if (controls) parts.push(plural(controls, "control edge"));
  return parts.join(", ");
}

/** What is written on a line: how many tensors, or the shape of the only one. */
export function lineLabel(graph, numbers) {
  const edges = numbers.map((n) => graph.edges[n]).filter((edge) => edge.output >= 0);
  if (edges.length === 0) return numbers.length > 1 ? `${numbers.length}` : "";
  const sources = new Set(edges.map((edge) => `${edge.source}:${edge.output}`));
  if (sources.size > 1) return `${sources.size} tensors`;
  const shape = edges[0].text.slice(edges[0].text.indexOf(" ") + 1);
  if (!shape.startsWith("(")) return "";
  const sizes = shape.slice(1, -1).split(",").map((size) => size.trim()).filter(Boolean);
  return sizes.length ? sizes.join("×") : "";
}
