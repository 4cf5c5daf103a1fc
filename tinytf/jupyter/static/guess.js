// "Guess the next node": the rules, without a page.

/** The events at which a node that runs is taken, by number: there is something to guess. */
export function picksOf(trace) {
  const seen = new Set();
  const picks = [];
  trace.events.forEach((event, number) => {
    if (event.run < 0 || seen.has(event.run)) return;
    seen.add(event.run);
    if (trace.runs[event.run].kind !== "skip") picks.push(number);
  });
  return picks;
}

/** The number of each run's last event. */
function lastEventOf(trace) {
  const ends = trace.runs.map(() => Infinity);
  trace.events.forEach((event, number) => {
    if (event.run >= 0 && event.kind !== "take" && event.kind !== "block") ends[event.run] = number;
  });
  return ends;
}

/** The names of what a run still waits for after event `frame`. */
function missingFor(trace, run, frame) {
  const ends = lastEventOf(trace);
  const open = run.needs.filter((id) => ends[id] > frame);
  return [...new Set(open.map((id) => trace.names[trace.runs[id].node]))];
}

const named = (names) => (names.length && names.length <= 4 ? ` (${names.join(", ")})` : "");

/** Whether node `n` is what event `pick` takes, and why (not): {right, why}. */
export function verdict(trace, pick, n) {
  const event = trace.events[pick];
  if (event.node === n) return { right: true, why: event.text };
  const { nodes, queue } = stateAt(trace, pick - 1);
  const name = trace.names[n];
  const [wanted, iteration] = [event.node, event.iteration];
  const place = queue.findIndex(([q, i]) => q === wanted && i === iteration);
  const own = queue.findIndex(([q]) => q === n);
  let why = "";
  if (own >= 0 && own > place) {
    why = `${name} is ready, but stands behind ${trace.names[queue[place][0]]} in the queue.`;
  } else if (own >= 0) {
    const chooser = trace.order ? `the ${trace.order} that was given` : "the executor";
    why = `${name} is ready and stands further ahead, but here ${chooser} took another one.`;
  } else {
    why = whyNot(trace, pick, n, nodes[n]);
  }
  return { right: false, why };
}

function whyNot(trace, pick, n, node) {
  const name = trace.names[n];
  if (node.state !== "waiting") {
    const said = {
      running: "is running already", done: "has run already", failed: "has failed",
      blocked: "has been taken already: it waits in its kernel",
      skipped: "was skipped: it lies on a path that is not taken",
    };
    return `${name} ${said[node.state]}.`;
  }
  const started = new Set(trace.events.slice(0, pick).map((event) => event.run));
  const next = trace.runs.find((run, id) => run.node === n && !started.has(id));
  const missing = next ? named(missingFor(trace, next, pick - 1)) : "";
  return `${name} still waits for ${plural(node.count, "input")}${missing}.`;
}
