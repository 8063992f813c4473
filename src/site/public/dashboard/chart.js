/** Draws the chart of the overview from the table beside it, which stays for everybody who reads tables. */

const HALF_DAY_SECONDS = 12 * 60 * 60;

/** Votes are whole, so the steps of their axis are too. */
const VOTE_STEPS = [1, 10, 100, 1e3, 1e4, 1e5, 1e6].flatMap((power) => [power, 2 * power, 5 * power]);

const frame = document.getElementById('chart');
if (frame) draw(frame).catch(() => fail(frame));

async function draw(target) {
  await Promise.all([addScript(target.dataset.script), addStyle(target.dataset.style)]);
  const data = readTable(document.getElementById(target.dataset.table));
  let chart = plot(target, data);
  new ResizeObserver(() => chart.setSize(sizeOf(target))).observe(target);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', () => {
    chart.destroy();
    chart = plot(target, data);
  });
}

function fail(target) {
  target.querySelector('.chart-state').textContent = target.dataset.failed;
  target.removeAttribute('aria-hidden');
}

/** Days, votes and doubled votes; the table has the newest day first, a chart has it last. */
function readTable(table) {
  const rows = [...table.tBodies[0].rows].reverse();
  return ['day', 'votes', 'doubled'].map((name) => rows.map((row) => Number(row.dataset[name])));
}

function plot(target, data) {
  target.replaceChildren();
  const text = formats(document.documentElement.lang);
  const options = {
    ...sizeOf(target),
    tzDate: (seconds) => window.uPlot.tzDate(new Date(seconds * 1000), 'UTC'),
    legend: { show: false },
    cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
    padding: [12, 0, 0, 0],
    scales: { x: { range: wholeDays }, y: { range: (_chart, _min, max) => [0, Math.max(4, max * 1.05)] } },
    series: [{}, bars('swatch-votes'), bars('swatch-doubled')],
    axes: axes(getComputedStyle(target), text),
    plugins: [tip(data, text)],
  };
  return new window.uPlot(options, data, target);
}

/** Half a day on both sides, so that the first and the last bar are whole. */
function wholeDays(_chart, first, last) {
  return [first - HALF_DAY_SECONDS, last + HALF_DAY_SECONDS];
}

function formats(locale) {
  const day = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', timeZone: 'UTC' });
  const number = new Intl.NumberFormat(locale);
  return { day: (seconds) => day.format(seconds * 1000), number: (value) => number.format(value) };
}

/** A canvas knows no style sheet: it takes the colour that the legend has now, light or dark. */
function bars(swatchId) {
  const { backgroundColor: fill } = getComputedStyle(document.getElementById(swatchId));
  const paths = window.uPlot.paths.bars({ size: [0.68, 28], radius: 0.18 });
  return { fill, stroke: fill, width: 0, paths, points: { show: false } };
}

function axes(ink, text) {
  const axis = { stroke: ink.color, font: `12px ${ink.fontFamily}`, ticks: { show: false } };
  const grid = { stroke: ink.borderTopColor, width: 1 };
  return [
    { ...axis, grid: { show: false }, size: 28, space: 64, values: (_chart, days) => days.map(text.day) },
    { ...axis, grid, size: 44, incrs: VOTE_STEPS, values: (_chart, votes) => votes.map(text.number) },
  ];
}

/** The figures of the day under the pointer. */
function tip([days, votes, doubled], text) {
  const box = document.createElement('div');
  box.className = 'chart-tip';
  box.hidden = true;
  const [votesName, doubledName] = [...document.querySelectorAll('.legend li')].map(
    (item) => item.textContent,
  );
  const show = (chart) => {
    const { idx, left } = chart.cursor;
    box.hidden = typeof idx !== 'number' || left < 0;
    if (box.hidden) return;
    box.textContent = `${text.day(days[idx])} · ${votesName} ${text.number(votes[idx])} · ${doubledName} ${text.number(doubled[idx])}`;
    const middle = chart.valToPos(days[idx], 'x') - box.offsetWidth / 2;
    box.style.left = `${Math.max(0, Math.min(middle, chart.over.offsetWidth - box.offsetWidth))}px`;
  };
  return { hooks: { init: (chart) => chart.over.append(box), setCursor: show } };
}

function sizeOf(target) {
  return { width: target.clientWidth, height: target.clientHeight };
}

/** The library is a classic script, so it comes in by an element of its own. */
function addScript(address) {
  return added(Object.assign(document.createElement('script'), { src: address }));
}

function addStyle(address) {
  return added(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: address }));
}

function added(element) {
  return new Promise((resolve, reject) => {
    element.addEventListener('load', resolve);
    element.addEventListener('error', reject);
    document.head.append(element);
  });
}
