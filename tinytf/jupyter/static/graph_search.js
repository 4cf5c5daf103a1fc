// Search a graph by name or type: a box with what was found, for the keyboard and the mouse.

const MATCHES = 12;
let searches = 0; // ids have to be unique on a page

/** In `bar`. `marked(items)`: which boxes to mark; `take(item)`: go there; `leave()`: back to the widget. */
export function makeSearch(bar, graph, { marked, take, leave }) {
  const id = `tinytf-hit-${searches++}-`;
  const finder = make(bar, "div", { class: "tinytf-finder" });
  const search = make(finder, "input", {
    type: "search", class: "tinytf-search", placeholder: "Search names   /", "aria-label": "Search by name or type",
    role: "combobox", "aria-expanded": "false", "aria-controls": `${id}list`, "aria-autocomplete": "list",
    autocomplete: "off", spellcheck: "false",
  });
  const found = make(finder, "ul", { class: "tinytf-found", role: "listbox", hidden: "", id: `${id}list`, "aria-label": "What was found" });
  const none = make(finder, "p", { class: "tinytf-found tinytf-none", role: "status", hidden: "" });
  let [hits, at] = [[], 0];
  const name = (thing) => thing.name ?? thing.path;

  function find() {
    const text = search.value.trim().toLowerCase();
    const score = (thing) => (name(thing).toLowerCase().endsWith(text) ? 0 : 1) + name(thing).length / 1000;
    hits = text ? [
      ...graph.nodes.filter((node) => node.name.toLowerCase().includes(text) || node.type.toLowerCase() === text),
      ...graph.groups.filter((group) => group.path.toLowerCase().includes(text) && group.core < 0),
    ] : [];
    hits.sort((a, b) => score(a) - score(b));
    at = 0;
    list();
    marked(hits.map((thing) => thing.id));
  }

  function list() {
    found.replaceChildren();
    const isAsked = Boolean(search.value.trim());
    found.hidden = !isAsked || !hits.length;
    none.hidden = !isAsked || Boolean(hits.length);
    none.textContent = none.hidden ? "" : "No name has that in it.";
    search.setAttribute("aria-expanded", String(!found.hidden));
    search.removeAttribute("aria-activedescendant");
    if (found.hidden) return;
    const start = Math.max(0, Math.min(at - 5, hits.length - MATCHES));
    hits.slice(start, start + MATCHES).forEach((thing, number) => {
      const place = start + number;
      const row = make(found, "li", { role: "option", "aria-selected": String(place === at), id: id + place }, name(thing));
      make(row, "small", {}, thing.type ? ` ${thing.type}` : ` ${plural(thing.size, "op")}`);
      row.addEventListener("pointerdown", (event) => { event.preventDefault(); go(thing.id); });
      if (place === at) search.setAttribute("aria-activedescendant", row.id);
    });
    found.dataset.total = plural(hits.length, "hit");
  }

  function hide() {
    found.hidden = none.hidden = true;
    search.setAttribute("aria-expanded", "false");
  }
  function go(item) {
    take(item);
    marked(hits.map((thing) => thing.id));
    hide();
    leave();
  }

  search.addEventListener("input", find);
  search.addEventListener("focus", list);
  search.addEventListener("blur", hide);
  search.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && hits.length) {
      event.preventDefault();
      at = (at + step + hits.length) % hits.length;
      list();
    } else if (event.key === "Enter" && hits.length) go(hits[at].id);
    else if (event.key === "Escape") {
      search.value = "";
      find();
      leave();
    } else return;
    event.stopPropagation();
  });
  return { input: search, focus: () => search.focus({ preventScroll: true }) };
}
