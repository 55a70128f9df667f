// The tables of a run: what changed, the pass rate by a column, the flags, and the steps.

// Metrics of how the machine works, as "time/score" and "rewards/correct/std": no answer to what a policy has learned.
const MACHINERY =
  /^(step|loss|grad_norm|num_tokens|learning_rate|skipped_steps|time\/.*|sampling\/.*|step_time|.*[/_]std)$/;

// First tenth against last tenth, the largest change first: where to look when two curves part.
function changes(run) {
  const rows = Object.entries(run.metrics)
    .filter(([name]) => !MACHINERY.test(name))
    .map(([name, values]) => [name, ends(values)])
    .filter(([, pair]) => pair && pair[0] !== pair[1])
    .map(([name, [first, last]]) => ({
      name,
      first,
      last,
      size: Math.abs(last - first) / Math.max(Math.abs(first), Math.abs(last)),
    }))
    .sort((a, b) => b.size - a.size);
  const line = ({ name, first, last }) =>
    el(
      "tr",
      {},
      el("td", {}, el("a", { href: hashOf({ metric: name }) }, name)),
      el("td.n", {}, num(first)),
      el("td.n", {}, num(last)),
      el(`td.n.${last > first ? "up" : "down"}`, {}, last > first ? "▲" : "▼"),
    );
  return el(
    "section",
    {},
    el("h2", {}, "What changed most"),
    el("p.quiet", {}, "Means of the first and the last tenth of the steps, the largest relative change first."),
    el(
      "table",
      {},
      el(
        "thead",
        {},
        el(
          "tr",
          {},
          ["metric", "first", "last", ""].map((name) => el("th", {}, name)),
        ),
      ),
      el("tbody", {}, rows.slice(0, 12).map(line)),
    ),
  );
}

function byColumn(run, route, keep) {
  const names = Object.keys(run.columns);
  if (!names.length) return null;
  const chosen = names.includes(route.by) ? route.by : names[0];
  const choice = el(
    "select",
    {
      ariaLabel: "column",
      onchange: (event) => {
        location.hash = hashOf({ by: event.target.value });
      },
    },
    names.map((name) => el("option", { value: name, selected: name === chosen }, name)),
  );
  const graded = run.columns[chosen].values.map(() => 0),
    passed = graded.slice();
  for (let i = 0; i < run.size; i++) {
    if ((keep && !keep[i]) || run.failed(i)) continue;
    const place = run.columnOf(chosen, i);
    graded[place]++;
    if (run.passed(i)) passed[place]++;
  }
  const rows = run.columns[chosen].values
    .map((value, place) => ({ value, graded: graded[place], passed: passed[place] }))
    .sort((a, b) => a.value.localeCompare(b.value, "en", { numeric: true }));
  const line = ({ value, graded, passed }) =>
    el(
      "tr",
      {},
      el("td", {}, el("a", { href: hashOf({ columns: { ...route.columns, [chosen]: value } }) }, value)),
      el("td.wide", {}, bar(graded ? passed / graded : 0)),
      el("td.n", {}, percent(graded ? passed / graded : null)),
      el("td.n.quiet", {}, graded.toLocaleString("en")),
    );
  return el("section", {}, el("h2", {}, "Pass rate by ", choice), el("table", {}, el("tbody", {}, rows.map(line))));
}

// The last step that holds it; an evaluation lists its groups beneath this table.
const toFlagged = (run, { name, last }) =>
  hashOf({ flag: name, ...(run.training ? { ...HERE, at: "step", step: last } : {}) });

function flagTable(run, keep) {
  if (!run.flags.length) return null;
  const found = run.flags.map((name) => ({ name, count: 0, reward: [], first: Infinity, last: -Infinity }));
  for (let i = 0; i < run.size; i++) {
    if (keep && !keep[i]) continue;
    for (const flag of run.flagsOf(i)) {
      const step = run.groups.step[run.episodes.g[i]],
        row = found[flag];
      row.count++;
      if (!run.failed(i)) row.reward.push(run.episodes.reward[i]);
      row.first = Math.min(row.first, step);
      row.last = Math.max(row.last, step);
    }
  }
  const line = (row) =>
    el(
      "tr",
      {},
      el("td", {}, el("a", { href: toFlagged(run, row) }, el("span.chip.flag", {}, row.name))),
      el("td.n", {}, row.count.toLocaleString("en")),
      el("td.n", {}, num(mean(row.reward))),
      run.training && el("td.n", {}, `${row.first}–${row.last}`),
    );
  const shown = found.filter((row) => row.count).sort((a, b) => b.count - a.count);
  return el(
    "section",
    {},
    el("h2", {}, "Flags"),
    shown.length
      ? el(
          "table",
          {},
          el(
            "thead",
            {},
            el(
              "tr",
              {},
              ["flag", "episodes", "mean reward", run.training && "steps"]
                .filter(Boolean)
                .map((name) => el("th", {}, name)),
            ),
          ),
          el("tbody", {}, shown.map(line)),
        )
      : el("p.quiet", {}, "None among these episodes."),
  );
}

// The parts and scores of what passed beside those of what did not.
function numberTable(run, keep) {
  const rows = Object.entries(run.numbers)
    .map(([name, values]) => {
      const passed = [],
        failed = [];
      for (let i = 0; i < values.length; i++) if (!keep || keep[i]) (run.passed(i) ? passed : failed).push(values[i]);
      return [name, mean(passed), mean(failed)];
    })
    .filter(([, passed, failed]) => passed !== null || failed !== null);
  if (rows.length < 2) return null; // the only part says what the pass rate says
  const line = ([name, passed, failed]) =>
    el("tr", {}, el("td", {}, name), el("td.n", {}, num(passed)), el("td.n", {}, num(failed)));
  const heads = ["mean of", "passed", "not passed"].map((name) => el("th", {}, name));
  return el(
    "section",
    {},
    el("h2", {}, "Parts and scores"),
    el("table", {}, el("thead", {}, el("tr", {}, heads)), el("tbody", {}, rows.map(line))),
  );
}

// How the tasks of an evaluation spread between never and always passed.
function rates(run, keep) {
  const shares = [];
  for (let g = 0; g < run.groupCount; g++) {
    const found = run.summary(run.members(g), keep);
    if (found.rate !== null) shares.push(found.rate);
  }
  const never = shares.filter((share) => share === 0).length,
    always = shares.filter((share) => share === 1).length;
  return el(
    "section",
    {},
    el("h2", {}, "Tasks by pass rate"),
    histogram(shares, "tasks by pass rate"),
    el("div.scale", {}, el("span", {}, "0 %"), el("span", {}, "100 %")),
    el("p.quiet", {}, `${never} never passed, ${shares.length - never - always} sometimes, ${always} always`),
  );
}

function stepTable(run, keep) {
  const gold = "gold/reward" in run.metrics;
  const alarmed = new Map(run.alarms.map((alarm) => [alarm.step, alarm.name]));
  const names = [
    "step",
    "reward",
    gold && "gold",
    "pass rate",
    "length",
    "flagged",
    keep && "left by the filter",
    "",
  ].filter((name) => name !== false && name !== null);
  const rows = run.steps
    .map((step) => [step, run.summary(run.inGroups(run.bySteps.get(step) ?? []), keep)])
    .filter(([, found]) => !keep || found.count);
  const line = ([step, found]) =>
    el(
      "tr.row",
      {
        onclick: (event) => {
          if (!event.target.closest("a")) location.hash = toStep(step);
        },
      },
      el("td.n", {}, el("a.open", { href: toStep(step) }, String(step))),
      el("td.n", {}, num(keep ? found.reward : (run.metric("reward", step) ?? found.reward))),
      gold && el("td.n", {}, num(run.metric("gold/reward", step))),
      el("td.wide", {}, bar(found.rate), ` ${percent(found.rate)}`),
      el("td.n", {}, num(found.length)),
      el("td.n", {}, found.flagged || ""),
      keep && el("td.n", {}, found.count),
      el("td", {}, alarmed.has(step) && el("span.chip.minus", {}, alarmed.get(step))),
    );
  const body = el("tbody");
  return el(
    "section",
    {},
    el("h2", {}, "Steps"),
    el(
      "div.scroll",
      {},
      el(
        "table.steps",
        {},
        el(
          "thead",
          {},
          el(
            "tr",
            {},
            names.map((name) => el("th", {}, name)),
          ),
        ),
        body,
      ),
    ),
    gradually(body, rows, line, 100),
  );
}
