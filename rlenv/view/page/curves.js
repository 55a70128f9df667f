// The curves of a training: which metrics stand in which panel, and what is counted from its episodes.

// The panels of a training; a second run is dashed beside the first.
function runPanels(run, route, keep) {
  const others = store.runs.filter((other) => other.training);
  const xs = [...new Set(others.flatMap((other) => other.steps))].sort((a, b) => a - b);
  const marks = [
    ...new Map(run.alarms.map((alarm) => [alarm.name, { x: alarm.step, label: alarm.name }]).reverse()).values(),
  ];
  const options = {
    marks,
    onpick: (step) => {
      location.hash = toStep(step);
    },
  };
  const curves = (title, names) => {
    const series = names.flatMap(([name, label], tone) =>
      others
        .filter((other) => name in other.metrics)
        .map((other) => ({
          label: others.length > 1 ? `${label} (${other.name})` : label,
          ys: xs.map((step) => other.metric(name, step)),
          dashed: other !== others[0],
          tone,
        })),
    );
    return series.length > 0 && panel(title, xs, series, options);
  };
  const parts = metricNames().flatMap((name) => {
      const part = /^rewards\/(.+)\/mean$/.exec(name); // "rewards/correct/mean"
      return part ? [[name, part[1]]] : [];
    }),
    environments = metricNames().flatMap((name) => {
      const own = /^env\/(.+)\/reward$/.exec(name); // "env/math/arithmetic-v0/reward"
      return own ? [[name, own[1]]] : [];
    }),
    kls = metricNames().filter((name) => /^kl\b/.test(name)), // "kl", "kl/first"
    shown = metricNames().includes(route.metric) ? route.metric : null;
  return [
    shown && curves(shown, [[shown, shown]]),
    curves("Reward and gold", [
      ["reward", "reward"],
      ["gold/reward", "gold"],
    ]),
    ratePanel(run, route, keep, options),
    environments.length > 0 && curves("Reward of each environment", environments),
    parts.length > 1 && curves("Parts of the reward", parts),
    flagPanel(run, keep, options),
    curves("Length, tokens", [["completions/mean_length", "mean length"]]),
    curves("Entropy, nats a token", [["entropy", "entropy"]]),
    curves(
      "KL, nats a token",
      kls.map((name) => [name, name]),
    ),
    curves("Time, seconds a step", [
      ["step_time", "step"],
      ["time/generate", "generate"],
      ["time/score", "score"],
      ["time/update", "update"],
    ]),
  ];
}

const metricNames = () =>
  [...new Set(store.runs.flatMap((run) => Object.keys(run.metrics)))].filter((name) => name !== "step");

// A panel more, of any metric that the run has.
function metricChoice(route) {
  const options = metricNames().map((name) => el("option", { value: name, selected: name === route.metric }, name));
  return el(
    "select",
    {
      ariaLabel: "another metric",
      onchange: (event) => {
        location.hash = hashOf({ metric: event.target.value });
      },
    },
    el("option", { value: "" }, "another metric …"),
    options,
  );
}

// The pass rate over the steps: of each value of a column where one was chosen.
function ratePanel(run, route, keep, options) {
  const column = run.columns[route.by];
  const labels = column ? column.values : ["pass rate"];
  const series = labels.map((label) => ({ label, ys: [] }));
  for (const step of run.steps) {
    const graded = new Float64Array(labels.length),
      passed = new Float64Array(labels.length);
    for (const i of run.inGroups(run.bySteps.get(step) ?? [])) {
      if ((keep && !keep[i]) || run.failed(i)) continue;
      const place = column ? run.columnOf(route.by, i) : 0;
      graded[place]++;
      if (run.passed(i)) passed[place]++;
    }
    series.forEach(({ ys }, place) => ys.push(graded[place] ? passed[place] / graded[place] : null));
  }
  return panel(column ? `Pass rate by ${route.by}` : "Pass rate", run.steps, series.slice(0, 8), {
    ...options,
    note: keep ? "of what the filter leaves" : "",
    share: true,
  });
}

function flagPanel(run, keep, options) {
  if (!run.flags.length) return null;
  const has = run.flags.map((_, flag) => run.combinations.map((flags) => flags.includes(flag)));
  const counts = run.flags.map(() => 0);
  const series = run.flags.map((label) => ({ label, ys: [] }));
  for (const step of run.steps) {
    const now = run.flags.map(() => 0);
    let count = 0;
    for (const i of run.inGroups(run.bySteps.get(step) ?? [])) {
      if (keep && !keep[i]) continue;
      count++;
      if (run.episodes.f[i])
        has.forEach((holds, flag) => {
          if (holds[run.episodes.f[i]]) now[flag]++;
        });
    }
    now.forEach((value, flag) => {
      counts[flag] += value;
      series[flag].ys.push(count ? value / count : null);
    });
  }
  const most = series
    .map((line, flag) => [counts[flag], line])
    .sort((a, b) => b[0] - a[0])
    .slice(0, 6)
    .map(([, line]) => line);
  return panel("Share of episodes flagged", run.steps, most, {
    ...options,
    note: keep ? "of what the filter leaves" : "",
    share: true,
  });
}
