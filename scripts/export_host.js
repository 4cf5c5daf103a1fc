// The widgets of an exported page. nbconvert leaves the state of all models in one element, and one
// element for each place where a widget is shown; this gives each widget what anywidget gives it.

const read = (type) => [...document.querySelectorAll(`script[type="${type}"]`)];

/** A model as widgets see it: values, and who wants to know when they change. */
function makeModel(state) {
  const listeners = new Map();
  const values = { ...state };
  const tell = (event) => [...(listeners.get(event) ?? [])].forEach((call) => call());
  return {
    get: (name) => values[name],
    set(name, value) {
      if (values[name] === value) return;
      values[name] = value;
      tell(`change:${name}`);
      tell("change");
    },
    on(event, call) {
      listeners.set(event, [...(listeners.get(event) ?? []), call]);
    },
    off(event, call) {
      const left = (listeners.get(event) ?? []).filter((one) => call && one !== call);
      listeners.set(event, left);
    },
    save_changes() {}, // there is no kernel
    send() {},
  };
}

const idOf = (reference) => reference.slice("IPY_MODEL_".length);

/** Two values that stay equal: what `jslink` makes. */
function link(models, source, target, bothWays) {
  const [from, to] = [source, target].map(([id, name]) => [models.get(idOf(id)), name]);
  if (!from[0] || !to[0]) return;
  const follow = ([one, name], [other, its]) => one.on(`change:${name}`, () => other.set(its, one.get(name)));
  follow(from, to);
  if (bothWays) follow(to, from);
}

const modules = new Map(); // widgets of a kind share one module
function load(text) {
  if (!modules.has(text)) {
    const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
    modules.set(text, import(address).then((module) => module.default));
  }
  return modules.get(text);
}

const all = read("application/vnd.jupyter.widget-state+json")
  .flatMap((element) => Object.entries(JSON.parse(element.textContent).state ?? {}));
const models = new Map(all.map(([id, { state }]) => [id, makeModel(state)]));
for (const [, { model_name: kind, state }] of all) {
  if (kind === "LinkModel" || kind === "DirectionalLinkModel") {
    link(models, state.source, state.target, kind === "LinkModel");
  }
}

const made = new Set(); // one that is shown twice is initialized once
const styled = new Set();

/** A style sheet of widgets, once for the page. */
function style(text) {
  if (styled.has(text)) return;
  styled.add(text);
  document.head.append(Object.assign(document.createElement("style"), { textContent: text }));
}

/** Show a widget in an element of the page; in one that is a box (a cockpit is one), all that it holds. */
async function show(id, el) {
  const model = models.get(id);
  if (model?.get("children")) {
    el.className = ["widget-box", ...model.get("_dom_classes")].join(" ");
    const children = model.get("children").map((child) => [idOf(child), document.createElement("div")]);
    el.append(...children.map(([, place]) => place));
    for (const [child, place] of children) await show(child, place);
  }
  if (!model?.get("_esm")) return;
  style(model.get("_css") ?? "");
  const widget = await load(model.get("_esm"));
  if (!made.has(id)) await widget.initialize?.({ model });
  made.add(id);
  await widget.render?.({ model, el });
}

for (const place of read("application/vnd.jupyter.widget-view+json")) {
  const el = document.createElement("div");
  place.before(el);
  await show(JSON.parse(place.textContent).model_id, el);
}
document.body.dataset.shown = "all"; // for who waits for the widgets
