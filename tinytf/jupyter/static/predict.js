// A question: choose, type, put in order or click; commit; then what happened is shown.

function element(name, classes = "", text = "") {
  const made = document.createElement(name);
  if (classes) made.className = classes;
  if (text) made.textContent = text;
  return made;
}

/** Letters and frames for what is offered; for an order, handles to move it by. */
function dressOptions(form, changed) {
  const list = form.querySelector("ol");
  if (!list) return;
  list.classList.add("tinytf-options");
  [...list.children].forEach((item, index) => {
    item.classList.add("tinytf-option");
    if (form.dataset.kind === "order") makeMovable(list, item, changed);
    else item.firstChild.prepend(element("span", "tinytf-letter", String.fromCharCode(97 + index)));
  });
}

function makeMovable(list, item, changed) {
  item.draggable = true;
  item.classList.add("tinytf-movable");
  const words = item.textContent;
  for (const [sign, name, step] of [["↑", "earlier", -1], ["↓", "later", 1]]) {
    const button = element("button", "tinytf-move", sign);
    button.type = "button";
    button.setAttribute("aria-label", `${words}: ${name}`);
    button.addEventListener("click", () => {
      move(list, item, step);
      button.focus();
      changed();
    });
    item.append(button);
  }
  item.addEventListener("dragstart", (event) => {
    event.dataTransfer.effectAllowed = "move";
    item.classList.add("tinytf-dragged");
  });
  item.addEventListener("dragend", () => { item.classList.remove("tinytf-dragged"); changed(); });
  item.addEventListener("dragover", (event) => {
    event.preventDefault();
    const dragged = list.querySelector(".tinytf-dragged");
    if (!dragged || dragged === item) return;
    const { top, height } = item.getBoundingClientRect();
    list.insertBefore(dragged, event.clientY > top + height / 2 ? item.nextSibling : item);
  });
}

function move(list, item, step) {
  const items = [...list.children];
  const other = items[items.indexOf(item) + step];
  if (other) list.insertBefore(item, step < 0 ? other : other.nextSibling);
}

/** Operations of a drawing that are clicked stand in the field below it, and the other way round. */
function dressDrawing(form, changed) {
  const field = form.querySelector("input[type=text]");
  if (!field) return;
  const nodes = [...form.querySelectorAll(".tinytf-node[data-node]")];
  const many = Number(form.dataset.many);
  const named = () => field.value.split(/[\s,]+/).filter(Boolean);
  const press = (name) => {
    const before = named().filter((one) => one !== name);
    const kept = before.length === named().length ? [...before, name].slice(-many) : before;
    field.value = kept.join(" ");
    field.dispatchEvent(new Event("input"));
  };
  for (const node of nodes) {
    node.setAttribute("role", "button");
    node.setAttribute("tabindex", "0");
    node.setAttribute("aria-label", node.dataset.node);
    node.addEventListener("click", () => press(node.dataset.node));
    node.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      press(node.dataset.node);
    });
  }
  field.addEventListener("input", () => {
    const names = named();
    nodes.forEach((node) => node.setAttribute("aria-pressed", String(names.includes(node.dataset.node))));
    changed();
  });
  // A drawing with things to press in it is no picture for a screen reader.
  form.querySelector("svg")?.setAttribute("role", "group");
  nodes.forEach((node) => node.setAttribute("aria-pressed", "false"));
}

/** What is predicted now; empty while something is missing. */
function replyOf(form) {
  const kind = form.dataset.kind;
  if (kind === "order") return [...form.querySelectorAll("li")].map((item) => item.dataset.key);
  if (kind === "choices") {
    const chosen = form.querySelector("input:checked");
    return chosen ? [chosen.value] : [];
  }
  const words = form.querySelector("input").value.trim().split(/[\s,]+/).filter(Boolean);
  const wanted = kind === "operations" ? Number(form.dataset.many) : 1;
  return words.length === wanted ? words : [];
}

/** Mark what was said and what happened, and open what the cell has shown. */
function reveal(form, button, outcome) {
  form.dataset.state = "done";
  form.querySelectorAll("input, .tinytf-move").forEach((one) => { one.disabled = true; });
  button.remove();
  for (const item of form.querySelectorAll(".tinytf-option")) {
    item.removeAttribute("draggable");
    if (form.dataset.kind !== "choices") continue;
    const [said, happened] = [outcome.reply, outcome.happened].map((keys) => keys.includes(item.dataset.key));
    const input = item.querySelector("input");
    input.checked = said;
    if (happened) item.dataset.happened = "true";
    if (said && !happened) item.dataset.wrong = "true";
    const words = [said && "you said this", happened && "this happened"].filter(Boolean).join(", and ");
    if (words) item.firstChild.append(element("span", "tinytf-note", words));
  }
  const shown = element("div", "tinytf-outcome");
  const verdict = element("p");
  verdict.append(element("strong", "", outcome.right ? "Right: " : "Not so. What happened: "));
  const said = element("span");
  said.innerHTML = outcome.said;
  verdict.append(said);
  shown.append(verdict);
  if (!outcome.right && outcome.because) {
    const because = element("p");
    because.innerHTML = outcome.because;
    shown.append(because);
  }
  const rest = element("div");
  rest.innerHTML = outcome.html; // the cell's own output, and the course's words
  shown.append(rest);
  form.querySelector("[role=status]").append(shown);
}

export function render({ model, el }) {
  el.innerHTML = model.get("form");
  const form = el.querySelector("form");
  const button = element("button", "tinytf-commit", "Commit");
  const status = element("div");
  status.setAttribute("role", "status");
  const changed = () => { button.disabled = replyOf(form).length === 0; };
  dressOptions(form, changed);
  dressDrawing(form, changed);
  form.append(button, status);
  form.addEventListener("input", changed);
  changed();

  const commit = (event) => {
    event.preventDefault();
    const reply = replyOf(form);
    if (!reply.length || form.dataset.state) return;
    form.dataset.state = "committed";
    button.disabled = true;
    button.textContent = "Waiting for the kernel …";
    model.set("reply", reply);
    model.save_changes();
  };
  const told = () => {
    const outcome = model.get("outcome");
    if (outcome.html !== undefined && form.dataset.state !== "done") reveal(form, button, outcome);
  };
  form.addEventListener("submit", commit);
  // JupyterLab takes keys for its own commands where nobody is typing.
  form.addEventListener("keydown", (event) => {
    event.stopPropagation();
    if (event.key === "Enter" && event.target.matches("input")) commit(event);
  });
  model.on("change:outcome", told);
  told();
  return () => model.off("change:outcome", told);
}
export default { render };
