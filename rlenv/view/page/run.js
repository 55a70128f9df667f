// The run: what it came to, its curves, its alarms, what changed most, and its steps.

const tile = (label, value, note = "", tone = "") =>
  el(
    `div.tile${tone && `.${tone}`}`,
    {},
    el("span.label", {}, label),
    el("strong", {}, value),
    note && el("span.note", {}, note),
  );

function runView(page, run, route, keep) {
  const all = Array.from({ length: run.size }, (_, i) => i);
  const found = run.summary(all, keep);
  if (run.unfinished) put(page, el("p.note", {}, run.unfinished));
  put(page, el("h1", {}, run.name), el("p.quiet", {}, subtitle(run)));
  put(page, el("div.tiles", {}, tiles(run, found, keep)));
  if (run.sampled)
    put(
      page,
      el(
        "p.note",
        {},
        `Numbers are of all ${plural(run.size, "episode")}; the texts of ${plural(run.groups.block.filter((b) => b >= 0).length, "group")} of ${run.groupCount.toLocaleString("en")} are in this file, evenly spaced. rlenv view RUN --all puts all in.`,
      ),
    );
  if (run.training) {
    put(
      page,
      alarmList(run),
      el(
        "section",
        {},
        el("h2", {}, "Curves ", metricChoice(route)),
        el("div.panels", {}, runPanels(run, route, keep)),
      ),
    );
    put(
      page,
      el("div.columns", {}, changes(run), byColumn(run, route, keep), flagTable(run, keep), numberTable(run, keep)),
    );
    put(page, stepTable(run, keep));
  } else {
    put(
      page,
      el("div.columns", {}, rates(run, keep), byColumn(run, route, keep), flagTable(run, keep), numberTable(run, keep)),
    );
    put(page, groupList(run, [...Array(run.groupCount).keys()], route, keep));
  }
  put(
    page,
    el(
      "details.facts",
      {},
      el("summary", {}, "settings"),
      el(
        "dl",
        {},
        run.facts.map(([key, value]) => [el("dt", {}, key), el("dd", {}, value)]),
      ),
    ),
  );
}

function subtitle(run) {
  const known = Object.fromEntries(run.facts);
  const what = [known["row.name"] ?? known.policy, known.env].filter(Boolean).join(" on ");
  return [
    what,
    plural(run.groupCount, "group"),
    run.training && plural(run.steps.length, "step"),
    `passes at ${num(run.threshold)}`,
  ]
    .filter(Boolean)
    .join(" · ");
}

const ends = (values) => {
  const known = (values ?? []).filter((value) => value !== null);
  const tenth = Math.max(1, Math.floor(known.length / 10));
  return known.length ? [mean(known.slice(0, tenth)), mean(known.slice(-tenth))] : null;
};

function tiles(run, found, keep) {
  const arrow = (pair) => `${num(pair[0], 2)} → ${num(pair[1], 2)}`;
  const reward = run.training ? ends(run.metrics.reward) : null,
    gold = ends(run.metrics["gold/reward"]);
  const left = found.count < run.size ? "of what the filter leaves" : "";
  const rose = (pair) => (pair[1] > pair[0] ? "good" : pair[1] < pair[0] ? "bad" : "");
  return [
    tile(
      "episodes",
      found.count.toLocaleString("en"),
      found.count < run.size ? `of ${run.size.toLocaleString("en")}` : "",
    ),
    reward
      ? tile("reward", arrow(reward), "first and last tenth of the steps", rose(reward))
      : tile("mean reward", num(found.reward)),
    gold && tile("gold", arrow(gold), "the true reward, first and last tenth", rose(gold)),
    keep || !run.pass_at.length
      ? tile("pass rate", percent(found.rate), left || `${found.passed.toLocaleString("en")} passed`)
      : run.pass_at.map(([k, value, low, high]) =>
          tile(`pass@${k}`, value.toFixed(3), `95 %: ${low.toFixed(3)} to ${high.toFixed(3)}`),
        ),
    tile("mean length", num(found.length), `${run.unit}, ${percent(found.count ? found.cut / found.count : null)} cut`),
    tile(
      "flagged",
      percent(found.count ? found.flagged / found.count : null),
      left || plural(found.flagged, "episode"),
      found.flagged ? "warn" : "",
    ),
    found.errors > 0 && tile("verifier errors", found.errors.toLocaleString("en"), "left out", "bad"),
    run.alarms.length > 0 && tile("alarms", String(run.alarms.length), `first at step ${run.alarms[0].step}`, "bad"),
  ];
}

function alarmList(run) {
  if (!run.alarms.length) return null;
  const line = (alarm) =>
    el(
      "a.alarm",
      { href: toStep(alarm.step) },
      el("b", {}, `step ${alarm.step}`),
      el("span.chip.minus", {}, alarm.name),
      el("span", {}, alarm.message),
      el("span.more", {}, "see the step ›"),
      alarm.stop && el("b", {}, "the run ended here"),
    );
  const lines = run.alarms.map(line);
  return el(
    "section.alarms",
    {},
    el("h2", {}, "Alarms"),
    lines.slice(0, 4),
    lines.length > 4 && el("details", {}, el("summary", {}, `${lines.length - 4} more`), lines.slice(4)),
  );
}
