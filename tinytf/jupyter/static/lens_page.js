// What both lenses share: training as it is, lanes on the left, numbers on the right, and a player for the
// last gradients. A view says what is drawn: `events(state)`, `build(left, right)`, and `draw(state, at, built)`,
// which gives what the root says as data-*. page.js, live.js and player.js stand before it.

function renderLens({ model, el }, view) {
  const root = make(el, "div", { class: `tinytf-view tinytf-live tinytf-lens ${view.name}`, tabindex: "0", role: "group", "data-lm-suppress-shortcuts": "true" });
  const headline = make(root, "p", { class: "tinytf-heading" });
  const parts = make(root, "div", { class: "tinytf-parts" });
  const built = view.build(make(parts, "div", { class: "tinytf-versions" }), make(parts, "div", { class: "tinytf-ages" }));
  const trace = { events: [{ text: "No gradient has come yet.", kind: "" }] };
  const player = makePlayer(model, root, root, trace);
  const foot = make(root, "p", { class: "tinytf-quiet tinytf-more" });

  const look = () => {
    const state = model.get("state");
    const first = state.before;
    const begun = first ? `${first.toLocaleString("en")} gradients have come before these.` : "The variables have their first values: version 0.";
    trace.events = [{ text: begun, kind: "" }, ...view.events(state)];
  };
  const draw = () => {
    const state = model.get("state");
    const at = player.frame();
    const data = view.draw(state, at, built, { root, pace: player.pace(), text: trace.events[at].text });
    headline.textContent = state.headline;
    foot.textContent = [view.speed(state), state.ended ?? view.legend].filter(Boolean).join(" ");
    root.setAttribute("aria-label", state.headline);
    Object.assign(root.dataset, { total: state.total, workers: state.workers.length, dropped: state.dropped, ended: Boolean(state.ended), ...data });
    player.update();
  };
  const followed = () => { // who looks at the newest goes on looking at the newest
    const isNewest = player.frame() >= player.last;
    look();
    if (isNewest && root.dataset.playing !== "true") model.set("frame", trace.events.length - 1);
    player.grow();
    draw();
    if (isNewest) model.save_changes();
  };
  look();
  model.set("frame", trace.events.length - 1);
  player.grow();
  model.on("change:state", followed);
  model.on("change:frame", draw);
  listen(root, (pressed) => {
    if (pressed === " ") player.toggle();
    else if (player.keys[pressed]) player.keys[pressed]();
    else return false;
    return true;
  });
  const resized = new ResizeObserver(draw);
  resized.observe(root);
  draw();
  return () => {
    resized.disconnect();
    player.pause();
    model.off("change:state", followed);
    model.off("change:frame", draw);
  };
}
