// A text with its marks: what the verdict points at, what was searched for, its tokens, and what cannot be seen in it.

const STRETCH = 8000; // characters of a long text that are laid out together, when they come into sight
const MOST_MARKS = 200;
const WHAT = { answer: "what was judged", hit: "what was searched for" };
const SURPRISE = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"; // view/tokens.py

const likelihood = (level) => Math.exp(-((level / 18) ** 2));
const sure = (level) => `probability ${num(likelihood(level), 2)}`;

// Characters that a reader cannot see, or that turn the order of others around: controls, directions, zero widths, halves.
const UNSEEN =
  /\r(?!\n)|[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]/gu; // "\u202e"
const unseen = (text) => (text.slice(0, 1000000).match(UNSEEN) ?? []).length;
const MOST_UNSEEN = 200; // so many of a stretch are shown by their number

// A text whose unseen characters are shown by their number, each alone, so that none turns its neighbours around.
function legible(text) {
  const found = [];
  let place = 0;
  for (const { 0: character, index } of text.matchAll(UNSEEN)) {
    if (found.length > 2 * MOST_UNSEEN) break;
    const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
    found.push(
      text.slice(place, index),
      el("span.unseen", { data: { label: code }, title: `the character U+${code}` }, character),
    );
    place = index + character.length;
  }
  return [...found, text.slice(place)].filter((part) => part !== "");
}

// [start, end, set] in order, without gaps, of `spans` that do not overlap; `set` is null in between.
function filled(spans, start, end) {
  const found = [];
  let place = start;
  for (const [from, to, set] of spans) {
    if (from < place || to > end || to <= from) continue;
    if (from > place) found.push([place, from, null]);
    found.push([from, to, set]);
    place = to;
  }
  if (place < end) found.push([place, end, null]);
  return found;
}

// A long text as blocks that a browser lays out one by one; a character of two units is never cut in two.
function stretches(text, from, to) {
  const holder = el("span");
  for (let place = from; place < to;) {
    let end = Math.min(to, place + STRETCH);
    if (end < to && /[\ud800-\udbff]/.test(text[end - 1])) end++; // the first half of an emoji
    holder.append(el("span.stretch", {}, legible(text.slice(place, end))));
    place = end;
  }
  return holder;
}

// Where a text holds what was searched for.
function hits(text, wanted) {
  const lower = text.toLowerCase(),
    found = [];
  if (!wanted || lower.length !== text.length) return found; // a letter whose small form is longer
  for (
    let at = lower.indexOf(wanted.toLowerCase());
    at >= 0 && found.length < MOST_MARKS / 2;
    at = lower.indexOf(wanted.toLowerCase(), at + wanted.length)
  )
    found.push([at, at + wanted.length, "hit"]);
  return found;
}

// What the verdict points at, and the tokens: the inline marks of a text.
class Marks {
  constructor(body) {
    const spans = [];
    if (body.answer) spans.push([...body.answer, "answer"]);
    for (const [value, from, to] of body.steps ?? []) spans.push([from, to, "step", value]);
    for (const [name, from, to, detail] of body.flags ?? []) spans.push([from, to, "flag", name, detail]);
    spans.push(...hits(body.text, readRoute().q));
    this.spans = spans.filter(([from, to]) => to > from).slice(0, MOST_MARKS);
    this.tokens = [];
    let place = 0;
    if (shown.shaded && body.logp && body.widths) {
      body.widths.forEach((width, i) => {
        if (width) this.tokens.push([place, place + width, SURPRISE.indexOf(body.logp[i])]);
        place += width;
      });
    }
    const cuts = [...this.spans, ...this.tokens].flatMap(([from, to]) => [from, to]);
    this.cuts = [...new Set(cuts)].sort((a, b) => a - b);
  }

  // The text [start, end) as nodes.
  nodes(text, start, end) {
    const places = [start, ...this.cuts.filter((cut) => cut > start && cut < end), end];
    const found = [];
    let token = this.tokens.findIndex(([, to]) => to > start);
    for (let i = 0; i + 1 < places.length; i++) {
      const [from, to] = [places[i], places[i + 1]];
      while (token >= 0 && token < this.tokens.length && this.tokens[token][1] <= from) token++;
      const over = this.spans.filter(([a, b]) => a <= from && to <= b);
      found.push(...this.piece(text, from, to, over, token >= 0 ? this.tokens[token] : undefined));
    }
    return found;
  }

  piece(text, from, to, over, token) {
    let nodes = to - from > STRETCH ? [stretches(text, from, to)] : legible(text.slice(from, to));
    if (token && token[0] <= from && token[2] >= 0) {
      nodes = [
        el("span.token", { set: { "--p": `${Math.round((100 * token[2]) / 63)}%` }, title: sure(token[2]) }, nodes),
      ];
    }
    for (const [start, end, kind, value, detail] of over) {
      const first = from === start,
        last = to === end;
      const options = {
        title: detail ? `${value}: ${detail}` : (WHAT[kind] ?? String(value)),
        data: {},
      };
      if (kind === "step" && last) options.data.label = signed(value);
      if (kind === "answer" && first) options.data.label = "judged";
      const tone = kind !== "step" ? "" : value < 0 ? ".minus" : value > 0 ? ".plus" : ".zero";
      nodes = [el(`span.mark.${kind}${tone}`, options, nodes)];
    }
    return nodes;
  }
}
