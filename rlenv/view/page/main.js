// The frame: the bar with the way back and the filters, the keys, light and dark, and the page drawn again when the URL changes.

let store = { runs: [], live: 0 };
let drawing = 0; // the newest drawing wins over one that still waits for its texts

const MOST_BLOCKS = 100; // of texts that are opened unasked: 30 million characters

const view = document.getElementById("view");

async function render() {
  const mine = ++drawing,
    route = readRoute();
  const run = store.runs[route.run] ?? store.runs[0];
  if (route.q && store.runs.some((each) => !each.texts)) {
    topBar.note.textContent = "reading the texts …";
    await Promise.all(store.runs.map((each) => each.openTexts()));
  }
  const keeps = store.runs.map((each) => matching(each, route));
  const keep = keeps[run.place],
    page = document.createDocumentFragment();
  const two = store.runs.length > 1;
  clearCharts();
  if (route.at === "step") stepView(page, run, route, keep);
  else if (route.at === "group") await groupView(page, run, route, keep);
  else if (route.at === "pair" && two) pairView(page, route, keeps);
  else if (route.at === "task" && two) await taskView(page, route, keeps);
  else runView(page, run, route, keep);
  if (mine !== drawing) return;
  view.replaceChildren(page);
  view.dataset.at = route.at;
  document.title = `${two && ["pair", "task"].includes(route.at) ? store.runs.map((each) => each.name).join(" and ") : run.name} · rlenv view`;
  topBar.show(run, route, keep);
  cursor = -1;
}

// A page that `rlenv view --live` serves asks its server for a newer one, and takes the runs out of it.
async function follow() {
  let tag = null;
  for (;;) {
    await new Promise((done) => setTimeout(done, 1000 * store.live));
    try {
      const answer = await fetch(location.pathname, {
        headers: tag ? { "If-None-Match": tag } : {},
        cache: "no-store",
      });
      if (answer.status !== 200) continue;
      const first = tag === null;
      tag = answer.headers.get("ETag");
      const newer = new DOMParser().parseFromString(await answer.text(), "text/html");
      if (first && newer.getElementById("data-head").textContent === document.getElementById("data-head").textContent)
        continue;
      store = await openRuns(newer);
      const [x, y] = [scrollX, scrollY];
      await render();
      scrollTo(x, y);
    } catch {
      topBar.note.textContent = "the server of this page is gone; what was read of the run stays";
    }
  }
}

const topBar = new Bar();
const chosen = storedSetting("rlenv-view-theme");
if (chosen === "dark" || chosen === "light") document.documentElement.dataset.theme = chosen;
addEventListener("hashchange", () => {
  const level = view.dataset.at,
    g = readRoute().g;
  render().then(() => {
    if (level !== view.dataset.at || g !== null) scrollTo(0, 0);
  });
});
addEventListener("keydown", onKey);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => render());
openRuns(document)
  .then(async (opened) => {
    store = opened;
    await render();
    view.dataset.ready = "yes";
    for (const run of store.runs) if (new Set(run.groups.block).size <= MOST_BLOCKS) run.openTexts(true); // before they are searched
    if (store.live) follow();
  })
  .catch((error) => {
    view.replaceChildren(
      el(
        "p",
        {},
        `This page cannot be opened (${error.message}); it needs a browser of 2023 or later. Write it again with rlenv view.`,
      ),
    );
  });
