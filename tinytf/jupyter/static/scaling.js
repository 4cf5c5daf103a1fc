// A cluster to play with: the fields here, the simulation in Python (tinytf/jupyter/scaling_widget.py), which
// sends the drawings. page.js stands before it.

const PATIENCE = 120; // ms between the last move of a slider and the question

/** A row of buttons of which one is pressed. */
function makeChoices(field, { name, options }, set) {
  const group = make(field, "div", { class: "tinytf-choices", role: "group", "aria-label": name });
  const buttons = options.map((option) => make(group, "button", { type: "button" }, option));
  buttons.forEach((button, at) => button.addEventListener("click", () => set(at)));
  return (at) => buttons.forEach((button, n) => button.setAttribute("aria-pressed", n === at));
}

function makeSlider(field, { name, options }, set, output) {
  const input = make(field, "input", { type: "range", min: 0, max: options.length - 1, step: 1, "aria-label": name });
  input.addEventListener("input", () => set(Number(input.value)));
  return (at) => {
    input.value = at;
    input.setAttribute("aria-valuetext", options[at]);
    output.textContent = options[at];
  };
}

function makeSelect(field, { name, options }, set) {
  const select = make(field, "select", { "aria-label": name });
  options.forEach((option, at) => make(select, "option", { value: at }, option));
  select.addEventListener("change", () => set(Number(select.value)));
  return (at) => { select.value = at; };
}

const MAKERS = { choices: makeChoices, slider: makeSlider, select: makeSelect };

function render({ model, el }) {
  const isLive = Boolean(model.widget_manager); // an exported page has no kernel to ask
  const root = make(el, "div", { class: "tinytf-view tinytf-scaling", "data-lm-suppress-shortcuts": "true" });
  const head = make(root, "div", { class: "tinytf-scaling-head" });
  make(head, "b", {}, "Training on a cluster");
  make(head, "span", { class: "tinytf-simulated" }, "simulated, in virtual time");
  const fields = make(root, "fieldset", { class: "tinytf-fields", "aria-label": "The cluster" });
  fields.disabled = !isLive;
  let settings = { ...model.get("settings") };
  let timer = 0;
  const shows = model.get("fields").map((given) => {
    const field = make(fields, "div", { class: "tinytf-field", "data-field": given.key });
    const title = make(field, "span");
    make(title, "span", {}, given.name);
    const set = (at) => {
      settings = { ...settings, [given.key]: at };
      update();
      clearTimeout(timer);
      timer = setTimeout(() => {
        root.dataset.busy = "true";
        model.set("settings", settings);
        model.save_changes();
      }, PATIENCE);
    };
    const show = MAKERS[given.kind](field, given, set, make(title, "output"));
    return () => {
      show(settings[given.key]);
      const isIdle = given.key === "backup" && settings.mode === 1;
      for (const input of field.querySelectorAll("input, button, select")) input.disabled = isIdle;
    };
  });
  const sentence = make(root, "p", { class: "tinytf-now", "aria-live": "polite" });
  const figure = make(root, "div", { class: "tinytf-scaling-figure" });
  make(root, "p", { class: "tinytf-aside" }, model.get("remark") + (isLive ? "" : " To change the cluster, run the notebook: this page has no kernel."));
  function update() {
    for (const show of shows) show();
  }
  function draw() {
    const { html, text, number } = model.get("content");
    sentence.textContent = text;
    figure.innerHTML = html;
    root.dataset.number = number;
    root.dataset.busy = "false";
  }
  function taken() {
    settings = { ...model.get("settings") };
    update();
  }
  root.addEventListener("keydown", (event) => {
    // JupyterLab asks only the focused element whether to be quiet: on a slider, arrows would leave the cell.
    if (event.key !== "Tab" && event.key !== "Escape") event.stopPropagation();
  });
  model.on("change:content", draw);
  model.on("change:settings", taken);
  update();
  draw();
  return () => {
    clearTimeout(timer);
    model.off("change:content", draw);
    model.off("change:settings", taken);
  };
}

export default { render };
