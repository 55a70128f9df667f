// A group: the task, and its completions by advantage.

const SHORT = 300; // a longer reference, a program say, is folded
const shown = { shaded: false, unfolded: false }; // keys s and r

async function groupView(page, run, route, keep) {
  const { g } = route;
  if (g === null || g >= run.groupCount) {
    put(page, el("p", {}, "There is no such group; go back to the run."));
    return;
  }
  const held = await run.group(g);
  const step = run.groups.step[g],
    beside = run.bySteps.get(step),
    place = beside.indexOf(g);
  const near = (by, label) =>
    beside[place + by] === undefined
      ? null
      : el("a.button", { href: toGroup(beside[place + by]), title: by < 0 ? "key [" : "key ]", data: { by } }, label);
  const title = run.training ? `Group ${run.groups.group[g]} of step ${step}` : `Task ${run.tasks[run.groups.task[g]]}`;
  put(page, el("h1", {}, title, el("nav", {}, near(-1, "‹ before"), near(1, "after ›"))));
  if (!held) {
    put(
      page,
      el(
        "p.note",
        {},
        "The texts of this group are not in this file, which holds a sample; rlenv view RUN --all puts all in.",
      ),
    );
    return;
  }
  const all = run.summary(run.members(g));
  put(page, taskBox(held.task), toolbar(held));
  const cards = held.episodes.map((body) => ({
    body,
    advantage: run.failed(body.i) || all.reward === null ? null : run.episodes.reward[body.i] - all.reward,
  }));
  cards.sort((a, b) => (b.advantage ?? -Infinity) - (a.advantage ?? -Infinity) || a.body.i - b.body.i);
  const left = cards.filter(({ body }) => !keep || keep[body.i]);
  const rest = cards.length - left.length;
  put(
    page,
    el(
      "p.quiet",
      {},
      `${plural(left.length, "completion")} by advantage (reward less the group's mean of ${num(all.reward)})${rest ? `; the filter leaves ${rest} out` : ""}`,
    ),
  );
  const holder = el("div.cards");
  put(
    page,
    holder,
    gradually(
      holder,
      left,
      ({ body, advantage }) =>
        card(run, body, { advantage, rank: cards.findIndex((other) => other.body === body) + 1 }),
      40,
    ),
  );
}

function taskBox(task) {
  const messages = task.prompt.map(([role, content]) =>
    el(`div.message.${role === "system" ? "system" : "asked"}`, { data: { role } }, excerptBox(content)),
  );
  const told = (facts) =>
    el(
      "dl",
      {},
      facts.map(([key, value]) => [el("dt", {}, key), el("dd", {}, excerptBox(value))]),
    );
  const known = ([, value]) => value !== "null" && value !== "";
  const reference = [["reference", task.reference]].filter(known),
    metadata = task.metadata.filter(known);
  const short = reference.length > 0 && task.reference.length <= SHORT;
  const folded = [...(short ? [] : reference), ...metadata];
  return el(
    "section.task",
    {},
    messages,
    short && el("div.facts", {}, told(reference)),
    folded.length > 0 &&
      el("details.facts", {}, el("summary", {}, folded.map(([key]) => key).slice(0, 4).join(", ")), told(folded)),
  );
}

// A text of any length: the first characters, and the rest when it is asked for.
function excerptBox(text, most = 4000) {
  if (text.length <= most) return el("div.text", { dir: "auto" }, legible(text));
  const box = el("div.text", { dir: "auto" }, legible(text.slice(0, most)));
  const more = el(
    "button.more",
    {
      onclick: () => {
        box.replaceChildren(...legible(text));
        more.remove();
      },
    },
    `show all ${plural(text.length, "character")}`,
  );
  return el("div.long", {}, box, more);
}

function toolbar(held) {
  const bodies = held.episodes;
  const toggle = (name, label, key, there) =>
    there &&
    el(
      "button.toggle",
      {
        title: `key ${key}`,
        ariaPressed: String(shown[name]),
        onclick: () => {
          shown[name] = !shown[name];
          render();
        },
      },
      label,
    );
  return el(
    "div.toolbar",
    {},
    toggle(
      "unfolded",
      "unfold reasoning",
      "r",
      bodies.some((body) => body.spans?.some(([kind]) => kind === "reasoning")),
    ),
    toggle(
      "shaded",
      "shade unexpected tokens",
      "s",
      bodies.some((body) => body.logp),
    ),
  );
}
