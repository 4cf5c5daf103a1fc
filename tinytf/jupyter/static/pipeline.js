// An input pipeline as it is: stations in columns, from files to the program; for each one how many
// elements it gave, how many a second, how full its queue or buffer is and was, and who waits.
// The rows come from tinytf/jupyter/pipeline_view.py; live.js stands before it.

/** One station as a sentence. */
export function stationText(row) {
  const parts = [];
  if (row.held !== null) parts.push(`holds ${row.held}${row.capacity === null ? "" : ` of ${row.capacity}`}`);
  if (row.made !== null) parts.push(`${counted(row.made, row.unit)} so far`);
  if (row.closed) parts.push("closed");
  return `${row.key}, ${row.kind}: ${[...parts, ...row.waits, row.note].filter(Boolean).join("; ") || "takes what comes"}`;
}

function render({ model, el }) {
  const root = make(el, "div", {
    class: "tinytf-view tinytf-live tinytf-live-pipeline", tabindex: "0", role: "group", "aria-label": "Input pipeline, from files to the program",
    "data-lm-suppress-shortcuts": "true",
  });
  const frame = make(root, "div", { class: "tinytf-frame", tabindex: 0, role: "group", "aria-label": "Stages of the pipeline" });
  const more = make(root, "p", { class: "tinytf-aside tinytf-more", "aria-hidden": "true" });
  const hint = () => {
    const hidden = frame.scrollWidth - frame.clientWidth - frame.scrollLeft > 4;
    more.textContent = hidden ? "The pipeline goes on to the right: scroll." : "";
  };
  frame.addEventListener("scroll", hint);
  const observer = new ResizeObserver(hint);
  observer.observe(frame);
  const draw = () => {
    const rows = model.get("state").rows ?? [];
    const left = frame.scrollLeft;
    frame.replaceChildren();
    root.dataset.stations = rows.length;
    const columns = [...new Set(rows.map((row) => row.column))].sort((a, b) => a - b);
    columns.forEach((number, place) => {
      if (place) make(frame, "div", { class: "tinytf-flow", "aria-hidden": "true" }, "→");
      const column = make(frame, "div", { class: "tinytf-column" });
      for (const row of rows.filter((each) => each.column === number)) station(column, row);
    });
    frame.scrollLeft = left;
    hint();
  };
  model.on("change:state", draw);
  draw();
  return () => {
    observer.disconnect();
    model.off("change:state", draw);
  };
}

function station(column, row) {
  const box = make(column, "div", {
    class: "tinytf-station", "data-key": row.key, "data-made": row.made ?? "", role: "img", "aria-label": stationText(row),
    title: [row.line, row.from.length ? `takes from ${row.from.join(", ")}` : ""].filter(Boolean).join("\n"),
  });
  make(box, "strong", {}, row.key);
  make(box, "div", { class: "tinytf-aside" }, row.kind + (row.closed ? ", ✕ closed" : ""));
  if (row.held !== null) {
    const room = row.capacity === null ? "" : ` of ${row.capacity}`;
    make(box, "div", {}, `holds ${row.held}${room}`);
    const bar = make(box, "div", { class: "tinytf-full" });
    const most = row.capacity ?? Math.max(1, ...row.history.map((moment) => moment[1]));
    make(bar, "div", { style: `width:${((100 * row.held) / Math.max(most, 1)).toFixed(1)}%` });
    if (row.history.length > 1) sparkline(box, row.history, 1, row.capacity, "How full it has been");
  }
  if (row.made !== null) {
    const speed = rate(row.history, 2);
    make(box, "div", {}, `${counted(row.made, row.unit)}${speed ? `, ${brief(speed)} a second` : ""}`);
  }
  if (row.seconds !== null) make(box, "div", { class: "tinytf-aside" }, `${brief(row.seconds * 1000)} ms of its own`);
  for (const text of row.waits.slice(0, 4)) make(box, "div", { class: "tinytf-waits" }, `… ${text}`);
  if (row.waits.length > 4) make(box, "div", { class: "tinytf-aside" }, `and ${row.waits.length - 4} more wait`);
  if (row.note) make(box, "div", { class: "tinytf-why" }, row.note);
}

export default { render };
