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
      item.isOver = false;
      item.open = item.waits.length; // how many of them are not over
      item.users = [];
      item.released = item.blocked ? this.byId.get(item.released) : undefined;
      item.holds = []; // kernels that wait for this one
    }
    for (const item of this.items) {
      for (const id of item.waits) this.byId.get(id).users.push(item);
      item.released?.holds.push(item);
    }
    this.time = 0;
    this.left = this.items.length;
    this.taken = []; // ids, in the order they were assigned
    this.waiting = []; // what is ready
    this.running = new Set(); // what runs, or waits in its kernel
    this.busyWith = this.lanes.map(() => null);
    this.becameReady(this.items.filter((item) => item.open === 0));
  }

  lengthOf(run) {
    if (run.kind === "skip") return 0;
    return this.isEqual ? 1 : Math.max(run.ended - run.taken, 1);
  }
  isReady(item) {
    return item.start < 0 && item.open === 0;
  }
  /** What can be chosen: ready, in the order in which it became so. */
  ready() {
    return this.waiting.sort((a, b) => a.readyAt - b.readyAt || a.taken - b.taken);
  }
  /** What a lane is busy with. */
  busy(lane) {
    return this.busyWith[lane];
  }
  suits(item, lane) {
    const { stream } = this.trace.lanes[item.device];
    return stream ? this.lanes[lane].device === item.device : this.lanes[lane].device < 0;
  }
  freeLane(item) {
    return this.lanes.findIndex((_, n) => this.suits(item, n) && !this.busy(n));
  }
  get isFinished() {
    return this.left === 0;
  }
  get makespan() {
    return Math.max(0, ...this.items.map((item) => item.end).filter(Number.isFinite));
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
    item.end = item.released ? Infinity : this.time + item.length;
    this.taken.push(item.id);
    this.waiting.splice(this.waiting.indexOf(item), 1);
    this.running.add(item);
    if (!item.blocked) this.busyWith[item.lane] = item;
    if (item.released?.isOver) this.finish([item]);
    while (!this.isFinished && !this.canChoose()) this.advance();
    return "";
  }
  canChoose() {
    return this.waiting.some((item) => this.freeLane(item) >= 0);
  }
  canAdvance() {
    return [...this.running].some((item) => Number.isFinite(item.end));
  }
  /** Let time go on until the next item ends. */
  advance() {
    if (!this.canAdvance()) throw new Error("nothing is running: something has to be chosen");
    this.time = Math.min(...[...this.running].map((item) => item.end));
    this.finish([...this.running].filter((item) => item.end <= this.time));
  }
  /** Items that are over now, and all that follows: what is ready, is skipped, need not wait. */
  finish(items) {
    const ready = [];
    for (const item of items) { // it grows
      if (item.isOver) continue;
      item.isOver = true;
      item.end = this.time;
      this.left -= 1;
      this.running.delete(item);
      if (this.busyWith[item.lane] === item) this.busyWith[item.lane] = null;
      items.push(...item.holds.filter((other) => other.start >= 0));
      for (const user of item.users) if (--user.open === 0) ready.push(user);
    }
    if (ready.length) this.becameReady(ready);
  }
  /** Skipped ones are over at once: no kernel runs. */
  becameReady(items) {
    for (const item of items) item.readyAt = this.time;
    this.waiting.push(...items.filter((item) => item.kind === "run"));
    const skipped = items.filter((item) => item.kind === "skip");
    for (const item of skipped) item.start = this.time;
    if (skipped.length) this.finish(skipped);
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
      const { released, length } = item;
      ends.set(item.id, released ? Math.max(start, ends.get(released.id) ?? 0) : start + length);
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
  /** The length of the recorded order on the same lanes: of what is ready, what was taken first. */
  likeRecorded() {
    this.recorded ??= this.playRecorded();
    return this.recorded;
  }
  playRecorded() {
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
