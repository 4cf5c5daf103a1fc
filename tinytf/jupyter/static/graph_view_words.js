// What is known of a box or a line, in words: the pane beside the picture.

const KEYS = [
  ["↑ ↓ ← →", "from box to box"], ["Enter", "open"], ["Esc", "close, go back"], ["/", "search"],
  ["+ − 0", "zoom, fit"],
];

/** The pane with what is known of an item; names in it lead to other items. */
function explain(graph, view, item, parent, go) {
  parent.replaceChildren();
  if (item === null) {
    make(parent, "p", {}, "Choose a box to see what is known of it. + opens a box, − closes it.");
    const keys = make(parent, "table", { class: "tinytf-facts tinytf-keys" });
    for (const [key, does] of KEYS) {
      const tr = make(keys, "tr");
      make(tr, "th", {}, key);
      make(tr, "td", {}, does);
    }
    return;
  }
  const thing = graph.item(item);
  const isNode = item < graph.count;
  make(parent, "div", { class: "tinytf-title" }, isNode ? thing.name : thing.path || thing.label);
  const table = make(parent, "table", { class: "tinytf-facts" });
  const row = (title) => {
    const tr = make(table, "tr");
    make(tr, "th", {}, title);
    return make(tr, "td");
  };
  const fact = (title, text) => text && (row(title).textContent = text);
  const links = (title, entries) => {
    if (!entries.length) return;
    const cell = row(title);
    for (const [id, text] of entries.slice(0, 12)) {
      const line = make(cell, "div");
      const button = make(line, "button", { type: "button", class: "tinytf-link" }, graph.nodes[id].name);
      button.addEventListener("click", () => go(id));
      if (text) make(line, "span", {}, ` ${text}`);
    }
    if (entries.length > 12) make(cell, "div", {}, `... and ${entries.length - 12} more`);
  };
  if (isNode) {
    explainNode(graph, thing, fact, links);
    const called = thing.calls.map((name) => graph.groups.find((group) => group.kind === "function" && group.path === `${name}/`));
    if (called.length) {
      const cell = row("calls");
      called.forEach((group, at) => {
        const button = make(make(cell, "div"), "button", { type: "button", class: "tinytf-link" }, thing.calls[at]);
        if (group) button.addEventListener("click", () => go(group.id));
      });
    }
  }
  else explainGroup(graph, view, thing, fact);
}

function explainNode(graph, node, fact, links) {
  fact("type", node.type + (node.note ? ` (${node.note})` : ""));
  fact("value", node.value);
  links("inputs", node.inputs.map(([id, output]) => [id, `:${output}  ${graph.nodes[id].outputs[output] ?? ""}`]));
  links("runs after", node.controls.map((id) => [id, ""]));
  fact("outputs", node.outputs.map((text, n) => `:${n}  ${text}`).join("\n"));
  const users = new Map();
  for (const at of graph.out[node.id]) {
    const edge = graph.edges[at];
    users.set(edge.target, [...(users.get(edge.target) ?? []), edge.output < 0 ? "runs after it" : `:${edge.output}`]);
  }
  links("used by", [...users].map(([id, how]) => [id, [...new Set(how)].join(", ")]));
  fact("device", node.device + (node.asked && node.asked !== node.device ? ` (asked for ${node.asked})` : ""));
  fact("attributes", node.attrs.map(([name, value]) => `${name} = ${value}`).join("\n"));
  fact("built in", node.line || "an imported graph");
}

function explainGroup(graph, view, group, fact) {
  const types = new Map();
  const visit = (id) => {
    if (id >= graph.count) graph.item(id).children.forEach(visit);
    else types.set(graph.nodes[id].type, (types.get(graph.nodes[id].type) ?? 0) + 1);
  };
  visit(group.id);
  const kind = { loop: `a loop (frame ${group.loop})`, function: "a function", part: "a part of what is too much to show at once", aside: "set aside: it would knot the picture", scope: "a name scope" };
  fact("what", kind[group.kind]);
  fact("holds", plural(group.size, "operation"));
  fact("types", [...types].sort((a, b) => b[1] - a[1]).slice(0, 10).map(([type, count]) => `${count} ${type}`).join("\n"));
  fact("devices", devicesOf(graph, group.id).filter(([name]) => name).map(([name, count]) => `${name}: ${count}`).join("\n"));
  const [into, out] = [[], []];
  for (const line of [...view.lines, ...view.beside]) {
    if (line.down.includes(group.id)) into.push(...line.edges);
    if (line.up.includes(group.id)) out.push(...line.edges);
  }
  fact("comes in", into.length ? flow(graph, into) : "nothing");
  fact("goes out", out.length ? flow(graph, out) : "nothing");
}

/** What a line carries, in words. */
function describeLine(graph, line) {
  const seen = new Map();
  for (const at of line.edges) {
    const { source, target, output, text, isRef, inCycle } = graph.edges[at];
    const name = graph.nodes[source].name;
    const words = output < 0 ? `${graph.nodes[target].name} runs after ${name}` : `${name}:${output}, ${text}`;
    seen.set(words + (isRef ? " (a reference: the variable itself)" : "") + (inCycle ? " (closes a cycle)" : ""), true);
  }
  const rows = [...seen.keys()];
  const more = rows.length > 8 ? `\n... and ${rows.length - 8} more` : "";
  return `${flow(graph, line.edges)}:\n${rows.slice(0, 8).join("\n")}${more}`;
}

/** What outlines, lines and patterns mean. */
function legend(graph, parent) {
  const key = make(parent, "div", { class: "tinytf-key" });
  const forms = new Set(graph.nodes.map((node) => node.form));
  const words = {
    operation: "operation", constant: "constant", placeholder: "placeholder", state: "variable or other state",
    "side-effect": "stateful operation", "control-flow": "control flow",
  };
  const item = (drawing, text) => {
    const span = make(key, "span", { class: "tinytf-key-item" });
    span.innerHTML = `<svg class="tinytf-graph" width="34" height="18" aria-hidden="true">${drawing}</svg>`;
    span.append(text);
  };
  for (const [form, text] of Object.entries(words)) {
    if (forms.has(form)) item(`<g class="tinytf-node" data-form="${form}" transform="translate(3 2)">${outline(form, 28, 14)}</g>`, text);
  }
  if (graph.groups.length > 1) item(`<g class="tinytf-node" data-form="scope" transform="translate(2 5)"><g class="tinytf-behind" transform="translate(3 -3)">${outline("scope", 26, 12)}</g>${outline("scope", 26, 12)}</g>`, "several operations (opens)");
  const line = (attributes, path) => `<g class="tinytf-edge" ${attributes}>${path}</g>`;
  item(line("", '<path class="tinytf-way" d="M2 9H30"/>'), "tensor");
  if (graph.cycles.length) item(line('data-cycle="true"', '<path class="tinytf-way" d="M2 9H30"/>'), "part of a cycle");
  if (graph.edges.some((edge) => edge.output < 0)) item(line('data-control="true"', '<path class="tinytf-way" d="M2 9H30"/>'), "control edge");
  if (graph.edges.some((edge) => edge.isRef)) item(line('data-ref="true"', '<path class="tinytf-way tinytf-outer" style="stroke-width:4" d="M2 9H30"/><path class="tinytf-core" d="M2 9H30"/>'), "reference to a variable");
  if (graph.aside.length) item('<g class="tinytf-stub"><path class="tinytf-way" d="M8 9h8"/><text x="19" y="13">2</text></g>', "edges to what is set aside");
  graph.devices.filter(Boolean).forEach((name) => item(swatch(graph.devices.indexOf(name), 4, 2, 26, 14), name));
}
