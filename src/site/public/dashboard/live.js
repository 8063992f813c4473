/**
 * Keeps the parts of a page with `data-live` up to date. The server sends an event when something has changed, and the
 * parts are then loaded from the URL of the page. Only a visible page is connected: browsers allow few connections per site.
 */

/** The minimum time between two updates. */
const PAUSE_MS = 2000;

const notice = document.querySelector('[data-live-from]');
let state = notice?.dataset.liveState;
let stream;
let isUpdating = false;
let isOutdated = false;

if (notice) {
  document.addEventListener('visibilitychange', follow);
  addEventListener('pagehide', stop);
  addEventListener('pageshow', follow);
  follow();
}

function follow() {
  if (document.hidden) return stop();
  // A stream that the server has rejected is opened again when the page becomes visible again.
  if (stream && stream.readyState !== EventSource.CLOSED) return;
  stream = new EventSource(`${notice.dataset.liveFrom}&after=${encodeURIComponent(state)}`);
  stream.addEventListener('open', () => {
    notice.hidden = false;
  });
  stream.addEventListener('error', () => {
    notice.hidden = stream.readyState === EventSource.CLOSED;
  });
  stream.addEventListener('change', ({ data }) => {
    state = data;
    isOutdated = true;
    update();
  });
}

function stop() {
  stream?.close();
  stream = undefined;
}

async function update() {
  if (isUpdating) return;
  isUpdating = true;
  while (isOutdated) {
    isOutdated = false;
    await replaceParts().catch(() => undefined);
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  isUpdating = false;
}

async function replaceParts() {
  const response = await fetch(location.href, { headers: { accept: 'text/html' } });
  if (!response.ok || response.redirected) return;
  const page = new DOMParser().parseFromString(await response.text(), 'text/html');
  for (const part of document.querySelectorAll('[data-live]')) {
    const next = page.getElementById(part.id);
    if (next) replacePart(part, document.adoptNode(next));
  }
}

function replacePart(part, next) {
  // Does not replace elements that the user is interacting with; the next change will replace them.
  if (part.contains(document.activeElement)) return;
  const open = [...part.querySelectorAll('details')].map((details) => details.open);
  for (const [index, details] of next.querySelectorAll('details').entries())
    details.open = open[index] ?? false;
  const known = new Set([...part.querySelectorAll('[data-key]')].map((row) => row.dataset.key));
  for (const row of next.querySelectorAll('[data-key]')) {
    if (!known.has(row.dataset.key)) row.classList.add('fresh');
  }
  part.replaceWith(next);
  next.dispatchEvent(new Event('live', { bubbles: true }));
}
