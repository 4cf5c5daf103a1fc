// What moves while a step plays: tensors along their edges, counters that count down, operations that
// go to the ready queue. All of it is animations of the browser, made once for each edge.

const TRAVEL = 430; // ms, at speed 1×
const FLIP = 260;
const SLIDE = 320;
const FASTEST = 8; // at more than 8×, nothing could be followed
const MOST_TOKENS = 24;
const POINTS = 14; // of a way

/** The value that an event brought forth, in few letters: "3.0", or else its shape. */
function tokenText(values, output) {
  const text = (values[output] ?? values[0] ?? "").replace(/^.*? = \S+ /s, "").replace(/^.*? = /s, "");
  const shape = text.match(/^\(([\d, ]+)\) /);
  if (shape) return shape[1].split(",").map((size) => size.trim()).filter(Boolean).join("×");
  return text.length <= 9 ? text : "";
}

export function makeMotion(stage) {
  let moving = null; // {animations, finish}
  const ways = new Map(); // keyframes of lines, until the next drawing

  /** Whether an event can be shown in motion at this speed. */
  const isOn = (pace) => pace <= FASTEST && !still() && document.visibilityState === "visible";

  /** Along the lines of a token, or, where it has none, along a thread. */
  function keyframes({ key, lines, thread }) {
    if (!ways.has(key)) {
      const paths = thread ? [thread] : lines.map((line) => stage.edges[line].querySelector(".tinytf-way"));
      const points = paths.flatMap((path) => {
        const length = path.getTotalLength();
        return Array.from({ length: POINTS }, (_, n) => path.getPointAtLength((length * n) / (POINTS - 1)));
      });
      ways.set(key, points.map(({ x, y }) => ({ transform: `translate(${n1(x)}px, ${n1(y)}px)` })));
    }
    return ways.get(key);
  }

  /** Tokens on their ways: [{lines, ends, text, isControl}]; then `arrived()`. */
  function travel(tokens, pace, arrived) {
    const holder = stage.world.querySelector(".tinytf-tokens");
    const between = tokens.filter(({ ends: [a, b] }) => a !== b); // not inside of a closed group
    const seen = new Map(between.map((token) => [token.lines.join() || token.ends.join(" to "), token]));
    const shown = [...seen].slice(0, MOST_TOKENS).map(([key, token]) => ({ key, ...token }));
    if (!shown.length) return arrived();
    const flying = shown.filter(({ lines }) => !lines.length);
    stage.drawThreads(flying.map(({ ends }) => ends)).forEach((path, at) => { flying[at].thread = path; });
    holder.innerHTML = shown.map(({ text, isControl }) => {
      const width = text ? Math.max(18, text.length * 6.6 + 10) : 12;
      const height = text ? 17 : 12;
      return `<g class="tinytf-token" data-control="${isControl}"><rect x="${n1(-width / 2)}" y="${-height / 2}" width="${n1(width)}" height="${height}" rx="${height / 2}"/>` +
        `<text y="4">${escapeText(text)}</text></g>`;
    }).join("");
    const animations = shown.map((token, n) => holder.children[n].animate(keyframes(token), { duration: TRAVEL / pace, easing: "ease-in-out", fill: "both" }));
    let isOver = false;
    const finish = () => {
      if (isOver) return;
      isOver = true;
      moving = null;
      animations.forEach((one) => one.cancel());
      holder.replaceChildren();
      stage.drawThreads([]);
      arrived();
    };
    moving = finish;
    animations[0].onfinish = finish;
    return undefined;
  }

  /** A counter that went down. */
  function flip(g, pace) {
    const badge = g.querySelector(".tinytf-counter");
    badge?.animate([{ transform: "scale(1, 0.1)" }, { transform: "scale(1.5)", offset: 0.55 }, { transform: "scale(1)" }], { duration: FLIP / pace, easing: "ease-out" });
  }

  /** Entries of the queue come from where their nodes are: [entry, g]. Measured first, moved then. */
  function slide(pairs, pace) {
    const ways = pairs.map(([entry, g]) => {
      const [from, to] = [g.getBoundingClientRect(), entry.getBoundingClientRect()];
      return [entry, from.left + from.width / 2 - to.left - to.width / 2, from.top + from.height / 2 - to.top - to.height / 2];
    });
    for (const [entry, dx, dy] of ways) {
      entry.animate([{ opacity: 0.5, transform: `translate(${dx}px, ${dy}px)` }, { opacity: 1, transform: "none" }], { duration: SLIDE / pace, easing: "ease-in-out" });
    }
  }

  return { isOn, travel, flip, slide, stop: () => moving?.(), forget: () => ways.clear(), get isMoving() { return moving !== null; } };
}
