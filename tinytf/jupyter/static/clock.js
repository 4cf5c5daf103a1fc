// One clock for the instruments of a page that show the same run: what one shows, the others show too.

/** When each operation of a traced step ran: name -> [from, to], all its runs together. */
export function timesOf({ runs }) {
  const times = {};
  for (const [name, start, end] of runs) {
    const [first, last] = times[name] ?? [start, end];
    times[name] = [Math.min(first, start), Math.max(last, end)];
  }
  return times;
}

/**
 * Join the clock of `run`. `onTime(time)` and `onSelect(name)` are called for what others do, not for
 * what this one does; `time` is in ns since the run began. Without a run, nothing is heard.
 */
export function joinClock(run, { onTime = () => {}, onSelect = () => {} }) {
  let isMine = false;
  const hear = (act) => ({ detail }) => { if (run && !isMine && detail.run === run) act(detail); };
  const listeners = { "tinytf:clock": hear(({ time }) => onTime(time)), "tinytf:select": hear(({ name }) => onSelect(name)) };
  for (const [type, listener] of Object.entries(listeners)) window.addEventListener(type, listener);
  const tell = (type, detail) => {
    isMine = true;
    window.dispatchEvent(new CustomEvent(type, { detail: { run, ...detail } }));
    isMine = false;
  };
  return {
    time: (time) => tell("tinytf:clock", { time }),
    select: (name) => tell("tinytf:select", { name }),
    leave: () => { for (const [type, listener] of Object.entries(listeners)) window.removeEventListener(type, listener); },
  };
}
