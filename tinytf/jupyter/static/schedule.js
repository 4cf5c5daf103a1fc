// Play the scheduler: the rules, without a page. Everything comes from the recorded runs: what each
// needs, on which device it is, and how long it took. Nothing is run again.

/** A schedule in the making: `assign` what is ready; `advance` lets time go on. */
export class Schedule {
  constructor(trace, threads, isEqual) {
    this.trace = trace;
    this.isEqual = isEqual;
    this.lanes = [];
    for (let n = 0; n < threads; n++) this.lanes.push({ name: `thread ${n + 1}`, device: -1 });
    trace.lanes.forEach((lane, device) => {
      if (lane.stream) this.lanes.push({ name: lane.title, device });
    });
    this.items = trace.runs.map((run, id) => ({ ...run, id, length: this.lengthOf(run) }));
    this.items = this.items.filter((item) => item.kind === "run" || item.kind === "skip");
    this.byId = new Map(this.items.map((item) => [item.id, item]));
    for (const item of this.items) {
      item.waits = [...item.needs, ...item.also].filter((id) => this.byId.has(id));
      item.start = item.end = item.lane = -1;
      item.readyAt = -1;
      item.isOver = false;
    }
    this.time = 0;
    this.taken = []; // ids, in the order they were assigned
    this.settle();
  }

  lengthOf(run) {
    if (run.kind === "skip") return 0;
    return this.isEqual ? 1 : Math.max(run.ended - run.taken, 1);
  }
  /** A kernel that waited for another node of the step is over when that one is. */
  releaser(item) {
    return item.blocked && item.released >= 0 ? this.byId.get(item.released) : undefined;
  }
  isReady(item) {
    return item.start < 0 && item.waits.every((id) => this.byId.get(id).isOver);
  }
  /** What can be chosen: ready, in the order in which it became so. */
  ready() {
    const items = this.items.filter((item) => item.kind === "run" && this.isReady(item));
    return items.sort((a, b) => a.readyAt - b.readyAt || a.taken - b.taken);
  }
  /** What a lane is busy with. */
  busy(lane) {
    return this.items.find((i) => i.lane === lane && i.start >= 0 && !i.isOver && !i.blocked);
  }
  suits(item, lane) {
    const { stream } = this.trace.lanes[item.device];
    return stream ? this.lanes[lane].device === item.device : this.lanes[lane].device < 0;
  }
  freeLane(item) {
    return this.lanes.findIndex((_, n) => this.suits(item, n) && !this.busy(n));
  }
  get isFinished() {
    return this.items.every((item) => item.isOver);
  }
  get makespan() {
    return Math.max(0, ...this.items.map((item) => item.end));
  }

  /** Why an item cannot be chosen for a lane (-1: any), in words; "" if it can. */
  whyNot(item, lane = -1) {
    const name = placeText(this.trace, item.node, item.iteration);
    if (item.isOver) return `${name} ${item.kind === "skip" ? "was skipped" : "has run"} already.`;
    if (item.start >= 0) {
      return item.blocked ? `${name} waits in its kernel.`
        : `${name} is running on ${this.lanes[item.lane].name}.`;
    }
    const open = item.waits.filter((id) => !this.byId.get(id).isOver);
    if (open.length) {
      const direct = item.needs.filter((id) => open.includes(id)).map((id) => this.byId.get(id));
      if (!direct.length) return `${name} waits until ${plural(open.length, "operation")} of its loop are over.`;
      const names = [...new Set(direct.map((need) => this.trace.names[need.node]))];
      return `${name} still waits for ${plural(direct.length, "input")}${named(names)}.`;
    }
    if (lane >= 0 && !this.suits(item, lane)) {
      const where = this.trace.lanes[item.device];
      return `${name} is on ${where.title}: ${this.lanes[lane].name} cannot run it.`;
    }
    const busy = lane >= 0 ? this.busy(lane) : this.freeLane(item) < 0;
    if (!busy) return "";
    return lane >= 0 ? `${this.lanes[lane].name} is busy with ${this.trace.names[busy.node]}.`
      : `${name} is ready, but every thread that could run it is busy.`;
  }

  /** Give an item to a lane, then let time go on until something can be chosen again. */
  assign(item, lane = -1) {
    const why = this.whyNot(item, lane);
    if (why) return why;
    item.lane = lane >= 0 ? lane : this.freeLane(item);
    item.start = this.time;
    item.end = this.releaser(item) ? Infinity : this.time + item.length;
    this.taken.push(item.id);
    this.settle();
    while (!this.isFinished && !this.canChoose()) this.advance();
    return "";
  }
  canChoose() {
    return this.ready().some((item) => this.freeLane(item) >= 0);
  }
  canAdvance() {
    return this.items.some((i) => i.start >= 0 && !i.isOver && Number.isFinite(i.end));
  }
  /** Let time go on until the next item ends. */
  advance() {
    const ends = this.items.filter((i) => i.start >= 0 && !i.isOver).map((i) => i.end);
    const next = Math.min(...ends);
    if (!Number.isFinite(next)) throw new Error("nothing is running: something has to be chosen");
    this.time = next;
    this.settle();
  }
  /** Take note of what is over by now: what ran, what is skipped, whose waiting has an end. */
  settle() {
    for (let changed = true; changed;) {
      changed = false;
      for (const item of this.items) {
        if (item.isOver) continue;
        const releaser = this.releaser(item);
        if (item.kind === "skip" && this.isReady(item)) item.start = item.end = this.time;
        if (item.start >= 0 && releaser?.isOver) item.end = Math.max(item.start, releaser.end);
        if (item.start < 0 || item.end > this.time) continue;
        item.isOver = changed = true;
      }
    }
    for (const item of this.items) {
      if (item.readyAt < 0 && this.isReady(item)) item.readyAt = this.time;
    }
  }

  /** What no schedule on these lanes can beat: {path, pathNames, work, bound}. */
  limits() {
    const ends = new Map();
    const before = new Map();
    // In the order of their ends each comes after all that it waits for.
    for (const item of [...this.items].sort((a, b) => a.ended - b.ended || a.taken - b.taken)) {
      let start = 0;
      for (const id of item.waits) {
        if ((ends.get(id) ?? 0) > start) [start] = [ends.get(id), before.set(item.id, id)];
      }
      const releaser = this.releaser(item);
      ends.set(item.id, releaser ? Math.max(start, ends.get(releaser.id) ?? 0) : start + item.length);
    }
    const path = Math.max(0, ...ends.values());
    const pathNames = [];
    let at = [...ends.keys()].find((id) => ends.get(id) === path);
    for (; at !== undefined; at = before.get(at)) pathNames.unshift(this.trace.names[this.byId.get(at).node]);
    const busy = (device) => this.items.filter((i) => !i.blocked && this.deviceOf(i) === device)
      .reduce((sum, i) => sum + i.length, 0);
    const threads = this.lanes.filter((lane) => lane.device < 0).length;
    const streams = this.lanes.filter((lane) => lane.device >= 0).map((lane) => busy(lane.device));
    const work = Math.max(busy(-1) / threads, ...streams);
    return { path, pathNames, work, bound: Math.max(path, work) };
  }
  deviceOf(item) {
    return this.trace.lanes[item.device].stream ? item.device : -1;
  }
  /** The order, as `watch` takes it. */
  order() {
    return this.taken.map((id) => {
      const { node, iteration } = this.byId.get(id);
      return this.trace.names[node] + iterationMark(iteration);
    });
  }
  /** The recorded order on the same lanes: what is ready first, as the executor took it. */
  likeRecorded() {
    const other = new Schedule(this.trace, this.lanes.filter((l) => l.device < 0).length, this.isEqual);
    while (!other.isFinished) {
      const free = other.ready().filter((item) => other.freeLane(item) >= 0);
      if (free.length) other.assign(free.sort((a, b) => a.taken - b.taken)[0]);
      else other.advance();
    }
    return other.makespan;
  }
  lengthText(length) {
    return this.isEqual ? plural(Number(length.toFixed(2)), "unit") : timeText(length);
  }
}
