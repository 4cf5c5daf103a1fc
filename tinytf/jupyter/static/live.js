// What the live widgets share: a curve of how full something was, and texts. page.js stands before it.

/** "1 element", "3 elements". */
export function counted(number, unit = "elements") {
  return number === 1 ? `1 ${unit.replace(/s$/, "")}` : `${number} ${unit}`;
}

/** The steps of a curve through [time, value] moments as an SVG path, in a box of this size. */
export function stepsPath(moments, width, height, most) {
  if (!moments.length) return "";
  const [first, last] = [moments[0][0], moments[moments.length - 1][0]];
  const x = (time) => (last > first ? ((time - first) / (last - first)) * width : width).toFixed(1);
  const y = (value) => (height - (most > 0 ? Math.min(value / most, 1) : 0) * height).toFixed(1);
  let path = `M${x(first)} ${y(moments[0][1])}`;
  for (const [time, value] of moments.slice(1)) path += `H${x(time)}V${y(value)}`;
  return `${path}H${width}`;
}

/** How many a second lately: from [time, ..., total] moments, over the last second or so. */
export function rate(moments, column) {
  if (moments.length < 2) return 0;
  const last = moments[moments.length - 1];
  const before = [...moments].reverse().find((moment) => last[0] - moment[0] >= 1) ?? moments[0];
  const seconds = last[0] - before[0];
  return seconds > 0 ? Math.max(last[column] - before[column], 0) / seconds : 0;
}

/** A number of at most three digits: "0.4", "12", "3.4k". */
export function brief(number) {
  if (number >= 1e6) return `${(number / 1e6).toPrecision(2)}M`;
  if (number >= 1000) return `${+(number / 1000).toPrecision(3)}k`;
  return number >= 10 ? `${Math.round(number)}` : `${+number.toPrecision(2)}`;
}

/** A small curve of how full something has been. */
function sparkline(parent, moments, column, most, label) {
  const [width, height] = [150, 26];
  const values = moments.map((moment) => [moment[0], moment[column]]);
  const top = most || Math.max(1, ...values.map(([, value]) => value));
  const holder = make(parent, "div", { class: "tinytf-spark" });
  holder.innerHTML =
    `<svg width="${width}" height="${height + 4}" viewBox="0 0 ${width} ${height + 4}" preserveAspectRatio="none" role="img"><title></title>` +
    `<path class="tinytf-spark-most" d="M0 2H${width}"/>` +
    `<path class="tinytf-spark-line" transform="translate(0 2)" d="${stepsPath(values, width, height, top)}"/></svg>`;
  holder.querySelector("title").textContent = label;
  return holder;
}

/** An SVG element. */
function shape(parent, tag, attributes, text = "") {
  const it = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) it.setAttribute(name, value);
  it.textContent = text;
  parent.append(it);
  return it;
}
