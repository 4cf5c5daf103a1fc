// The small picture of the whole drawing, with a frame around what is seen; it can be dragged.

const MAP_WIDTH = 190;
const MAP_HEIGHT = 170;

/** A map in `parent`; `look(x, y)` is called to bring a point of the drawing into the middle. */
export function makeMap(parent, look) {
  const holder = document.createElement("div");
  holder.className = "tinytf-map";
  holder.setAttribute("aria-hidden", "true"); // keys and words say where one is
  parent.append(holder);
  let shrink = 1;

  /** The boxes of a new drawing. */
  function draw(plan, open) {
    shrink = Math.min(MAP_WIDTH / plan.width, MAP_HEIGHT / plan.height);
    const rects = [...plan.boxes].map(([item, { left, top, width, height }]) => (
      `<rect class="tinytf-map-${open.has(item) ? "frame" : "box"}" x="${n1(left * shrink)}" y="${n1(top * shrink)}" ` +
      `width="${n1(Math.max(1.5, width * shrink))}" height="${n1(Math.max(1.5, height * shrink))}"/>`
    ));
    const [w, h] = [n1(plan.width * shrink), n1(plan.height * shrink)];
    holder.innerHTML = `<svg width="${w}" height="${h}">${rects.join("")}<rect class="tinytf-map-window"/></svg>`;
  }

  /** Frame what is seen: left, top, width and height in the drawing; hidden where it is all. */
  function frame(left, top, width, height, plan) {
    holder.hidden = left <= 8 && top <= 8 && left + width >= plan.width - 8 && top + height >= plan.height - 8;
    const [x, y] = [Math.max(0, left), Math.max(0, top)];
    const area = { x, y, width: Math.min(plan.width, left + width) - x, height: Math.min(plan.height, top + height) - y };
    const seen = holder.querySelector(".tinytf-map-window");
    for (const [name, value] of Object.entries(area)) seen.setAttribute(name, n1(Math.max(0, value * shrink)));
  }

  const go = (event) => {
    if (event.type === "pointerdown") holder.setPointerCapture(event.pointerId);
    else if (!holder.hasPointerCapture(event.pointerId)) return;
    event.preventDefault();
    const area = holder.firstChild.getBoundingClientRect();
    look((event.clientX - area.left) / shrink, (event.clientY - area.top) / shrink);
  };
  holder.addEventListener("pointerdown", go);
  holder.addEventListener("pointermove", go);
  return { draw, frame };
}
