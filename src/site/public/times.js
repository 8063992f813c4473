/*
 * Shows every time of the page in the time zone of the visitor: moments as a date and a time (in logs with seconds), and times that are waited
 * for as "in 42 min (9:56 PM)" within a day. Without this script, they are in UTC and say so.
 */
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const UPDATE_MS = 20_000;

const language = document.documentElement.lang;
const words = language === 'fr' ? { in: 'dans', on: 'le' } : { in: 'in', on: 'on' };
const moment = new Intl.DateTimeFormat(language, {
  ...{ day: 'numeric', month: 'short', year: 'numeric', hour: 'numeric', minute: '2-digit' },
});
const second = new Intl.DateTimeFormat(language, {
  ...{ day: 'numeric', month: 'short', year: 'numeric' },
  ...{ hour: '2-digit', minute: '2-digit', second: '2-digit', hourCycle: 'h23' },
});
const clock = new Intl.DateTimeFormat(language, { hour: 'numeric', minute: '2-digit' });
const units = Object.fromEntries(
  ['minute', 'hour'].map((unit) => [
    unit,
    new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'short' }),
  ]),
);

/** When times that are waited for come, by the clock of the device: see `endOf`. */
const ends = new WeakMap();

localize(document);
setInterval(() => localize(document, 'time[data-until]'), UPDATE_MS);
// Pages of the dashboard load parts again.
new MutationObserver((changes) => {
  for (const { addedNodes } of changes)
    for (const node of addedNodes) if (node instanceof Element) localize(node);
}).observe(document.body, { childList: true, subtree: true });

function localize(root, selector = 'time[datetime*="T"]') {
  for (const note of root.querySelectorAll('[data-time-zone]')) note.textContent = note.dataset.timeZone;
  for (const element of root.querySelectorAll(selector)) {
    const at = new Date(element.dateTime);
    // The text of the server, in UTC.
    if (!element.title)
      element.title = 'row' in element.dataset ? `${element.textContent} UTC` : element.textContent;
    const format = 'seconds' in element.dataset ? second : moment;
    const text = 'until' in element.dataset ? until(at, endOf(element)) : format.format(at);
    if (element.textContent !== text) element.textContent = text;
  }
}

/** Counted from when the element was loaded, like the countdown: the clock of the device may be wrong. */
function endOf(element) {
  if (!ends.has(element)) ends.set(element, Date.now() + Number(element.dataset.until) * 1000);
  return ends.get(element);
}

function until(at, end) {
  const left = Math.max(0, end - Date.now());
  if (left >= DAY_MS) return `${words.on} ${moment.format(at)}`;
  const wait =
    left < HOUR_MS
      ? units.minute.format(Math.ceil(left / 60_000))
      : units.hour.format(Math.round(left / HOUR_MS));
  return `${words.in} ${wait} (${clock.format(at)})`;
}
