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

/** Two values that stay equal: what `jslink` makes. */
function link(models, source, target, bothWays) {
  const [from, to] = [source, target].map(([id, name]) => [models.get(id.slice("IPY_MODEL_".length)), name]);
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
for (const place of read("application/vnd.jupyter.widget-view+json")) {
  const id = JSON.parse(place.textContent).model_id;
  const model = models.get(id);
  if (!model?.get("_esm")) continue;
  const el = document.createElement("div");
  const style = document.createElement("style");
  style.textContent = model.get("_css") ?? "";
  place.before(style, el);
  const widget = await load(model.get("_esm"));
  if (!made.has(id)) await widget.initialize?.({ model });
  made.add(id);
  await widget.render?.({ model, el });
}
