// One completion: its turns, its reasoning folded, its calls, and marks where the verdict points. The text of the box is
// the completion, character for character: every label beside it is drawn by the style.

const MOST_CHARS = 20000; // a longer text is cut until it is asked for: a browser lays out a line of a megabyte for seconds

// The box of a completion's text. `all` lays out a long one whole.
function textBox(body, all = false) {
  const text = body.text;
  const end = all ? text.length : Math.min(text.length, MOST_CHARS);
  const marks = new Marks(body);
  const turns = filled(
    (body.turns ?? []).map(([role, from, to]) => [from, Math.min(to, end), role]),
    0,
    end,
  );
  const kinds = (body.spans ?? []).map(([kind, from, to, label]) => [from, Math.min(to, end), { kind, label }]);
  const box = el("div.text", { dir: "auto" });
  for (const [from, to, role] of turns) {
    const within = kinds.filter(([a, b]) => a >= from && b <= to);
    const inside = filled(within, from, to).map(([a, b, what]) => {
      const nodes = marks.nodes(text, a, b);
      if (!what) return el("span.said", {}, nodes);
      if (what.kind === "call") return el("span.call", { data: { label: `call of ${what.label || "a tool"}` } }, nodes);
      const label = `reasoning · ${plural(b - a, "character")}`;
      return el(
        "details.reasoning",
        { open: shown.unfolded },
        el("summary", { data: { label }, ariaLabel: label }),
        nodes,
      );
    });
    if (!role) box.append(el(text.slice(from, to).trim() || !body.turns ? "span" : "span.between", {}, inside));
    else
      box.append(
        el(
          `div.turn.${role === "assistant" ? "policy" : "heard"}`,
          { data: { role: role === "assistant" ? "policy" : role } },
          inside,
        ),
      );
  }
  if (end === text.length) return box;
  const more = el(
    "button.more",
    { onclick: () => more.parentNode.replaceWith(textBox(body, true)) },
    `show all ${plural(text.length, "character")}`,
  );
  return el("div.long", {}, box, more);
}

// Log-probs of tokens whose places in the text are not known: a cell a token.
function tokenStrip(body) {
  const cells = [...body.logp].slice(0, 2000).map((character, i) => {
    const level = SURPRISE.indexOf(character);
    return el(level < 0 ? "i.heard" : "i", {
      set: { "--p": `${Math.round((100 * Math.max(0, level)) / 63)}%` },
      title: level < 0 ? "not the policy's" : `token ${i + 1}: ${sure(level)}`,
    });
  });
  return el("div.strip", { title: "one cell a token; the darker, the less expected" }, cells);
}

// A completion with its verdict. `rank` stands before it, `advantage` is its reward less the mean of its group.
function card(run, body, { advantage = null, rank = null } = {}) {
  const i = body.i;
  const tone = run.failed(i) ? "failed" : run.passed(i) ? "pass" : "fail";
  const paid = run.failed(i) ? "error" : num(run.episodes.reward[i]);
  const less = "advantage: the reward less the mean of the group";
  const head = el(
    "header",
    {},
    rank !== null && el("span.rank", {}, `${rank}`),
    el(`span.pill.${tone}`, { title: run.failed(i) ? "verifier error" : "reward" }, paid),
    advantage !== null && el("span.advantage", { title: less }, signed(advantage)),
    el("span.quiet", {}, `${num(run.episodes.length[i])} ${run.unit}`),
    chips(run, body),
  );
  return el(
    `article.card.row.${tone}`,
    { data: { ordinal: i } },
    head,
    textBox(body),
    shown.shaded && body.logp && !body.widths && tokenStrip(body),
    (body.flags ?? []).length > 0 && el("footer.reasons", {}, flagLines(body)),
    (body.reason || body.failure) && el("footer", { data: { label: "verdict" } }, body.failure || body.reason),
  );
}

// Why each flag was raised, once for each reason.
function flagLines(body) {
  const lines = new Map(body.flags.filter(([, , , detail]) => detail).map(([name, , , detail]) => [`${name}: ${detail}`]));
  return [...lines.keys()].map((line) => el("div", {}, line));
}

// Parts, scores, flags and what is odd about a completion.
function chips(run, body) {
  const reward = run.episodes.reward[body.i],
    hidden = unseen(body.text);
  const telling = (body.parts ?? []).filter(([, value], _, all) => all.length > 1 || value !== reward);
  const flags = new Map((body.flags ?? []).map(([name, , , detail]) => [name, detail]));
  return [
    ...telling.map(([name, value]) =>
      el(
        `span.chip${value < 0 ? ".minus" : value > 0 ? ".plus" : ""}`,
        { title: "a part of the reward" },
        `${name} ${signed(value)}`,
      ),
    ),
    ...Object.entries(body.scores ?? {})
      .slice(0, 8)
      .map(([name, value]) => el("span.chip.quiet", { title: "a raw score" }, `${name} ${num(value)}`)),
    ...[...flags].map(([name, detail]) => el("span.chip.flag", { title: detail || "a flag" }, name)),
    !run.finished(body.i) && el("span.chip.warn", { title: "it ended at the token limit" }, "cut"),
    hidden > 0 &&
      el(
        "span.chip.warn",
        { title: "controls, directions, zero widths, halves of characters" },
        plural(hidden, "unseen character"),
      ),
  ];
}
