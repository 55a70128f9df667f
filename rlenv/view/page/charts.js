// Curves over the steps of a run, by uPlot. A click goes to the step under the cursor.

const COLOURS = ["--c0", "--c1", "--c2", "--c3", "--c4", "--c5", "--c6", "--c7"];
const drawn = new Set(); // the charts on the page, to be taken off before the next view

// The colour of a custom property as a canvas takes it, for the theme of now: "rgb(43, 101, 217)".
function colour(name) {
  const probe = document.body.appendChild(el("i", { set: { color: `var(${name})` } }));
  const found = getComputedStyle(probe).color;
  probe.remove();
  return found;
}

const faint = (found) => found.replace("rgb(", "rgba(").replace(")", ", 0.28)");

// The running mean over a twentieth of the run, beside which the values themselves are faint.
function smoothed(ys) {
  const half = Math.floor(ys.length / 40);
  if (half < 2) return null;
  return ys.map((_, i) => mean(ys.slice(Math.max(0, i - half), i + half + 1)));
}

// series: [{label, ys, dashed, tone}] over `xs`, those of one tone in one colour; marks: [{x, label}] are dotted lines, as of alarms.
function panel(title, xs, series, { marks = [], onpick = null, note = "", share = false } = {}) {
  const holder = el("div.plot");
  const box = el("section.panel", {}, el("h3", {}, title, note && el("small", {}, note)), holder);
  const axis = {
    stroke: colour("--ink-2"),
    grid: { stroke: colour("--line"), width: 1 },
    ticks: { show: false },
    font: "11px system-ui",
    size: 46,
  };
  const lines = [{ label: "step" }],
    data = [xs];
  series.forEach(({ label, ys, dashed, tone }, place) => {
    const stroke = colour(COLOURS[(tone ?? place) % COLOURS.length]),
      smooth = smoothed(ys);
    const dash = dashed ? [5, 4] : undefined;
    const value = (_, raw) => num(raw);
    if (smooth) {
      lines.push({
        label: `${label} ·`,
        stroke: faint(stroke),
        width: 1,
        dash,
        points: { show: false },
        value,
        spanGaps: true,
      });
      data.push(ys);
    }
    const sparse = ys.some((y) => y === null);
    lines.push({ label, stroke, width: 2, dash, value, spanGaps: true, points: { show: sparse && !smooth, size: 5 } });
    data.push(smooth ?? ys);
  });
  const options = {
    width: 320,
    height: 190,
    legend: { show: true },
    scales: { x: { time: false }, ...(share && { y: { range: (_, least, most) => [Math.min(0, least), Math.max(most, 0.1)] } }) },
    series: lines,
    padding: [10, 12, 0, 0],
    axes: [
      { ...axis, size: 26 },
      { ...axis, values: (_, ticks) => ticks.map((tick) => num(tick)) },
    ],
    cursor: { sync: { key: "steps" }, points: { size: 7 }, drag: { x: true, y: false } },
    hooks: { draw: [(plot) => drawMarks(plot, marks)] },
  };
  requestAnimationFrame(() => {
    if (!holder.isConnected) return;
    options.width = Math.max(240, holder.clientWidth);
    const plot = new uPlot(options, data, holder);
    if (onpick) picks(plot, onpick);
    const watcher = new ResizeObserver(() => plot.setSize({ width: Math.max(240, holder.clientWidth), height: 190 }));
    watcher.observe(holder);
    drawn.add(() => {
      watcher.disconnect();
      plot.destroy();
    });
  });
  return box;
}

function drawMarks(plot, marks) {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = colour("--bad");
  ctx.setLineDash([3 * devicePixelRatio, 3 * devicePixelRatio]);
  for (const { x } of marks) {
    const left = Math.round(plot.valToPos(x, "x", true));
    ctx.beginPath();
    ctx.moveTo(left, bbox.top);
    ctx.lineTo(left, bbox.top + bbox.height);
    ctx.stroke();
  }
  ctx.restore();
}

// A press that is no drag picks the step under it.
function picks(plot, onpick) {
  let from = null;
  plot.over.style.cursor = "pointer";
  plot.over.addEventListener("pointerdown", (event) => {
    from = event.clientX;
  });
  plot.over.addEventListener("click", (event) => {
    if (from !== null && Math.abs(event.clientX - from) < 4) onpick(plot.data[0][plot.posToIdx(event.offsetX)]);
  });
}

function clearCharts() {
  for (const clear of drawn) clear();
  drawn.clear();
}

// A bar of a share in [0, 1].
const bar = (share, kind = "") =>
  el(`span.bar${kind && `.${kind}`}`, { set: { "--share": `${100 * Math.max(0, Math.min(1, share ?? 0))}%` } });

// How many tasks fall into each of ten bins between 0 and 1.
function histogram(shares, label) {
  const bins = new Array(10).fill(0);
  for (const share of shares) bins[Math.min(9, Math.floor(share * 10))]++;
  const most = Math.max(1, ...bins);
  return el(
    "div.histogram",
    { role: "img", ariaLabel: label },
    bins.map((count, i) =>
      el(
        "div",
        { title: `${i * 10} to ${i * 10 + 10} %: ${plural(count, "task")}` },
        el("small", {}, count || ""),
        el("span", { set: { "--share": `${(100 * count) / most}%` } }),
      ),
    ),
  );
}
