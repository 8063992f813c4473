/*
 * Shows the countdown of the cooldown in the page and in the title of the tab, and offers the next vote when it is over.
 * Without this script, the page shows the remaining minutes and the time in UTC.
 */
const box = document.querySelector('[data-countdown]');
const time = box.querySelector('[data-time]');
const progress = box.querySelector('[data-progress]');
const again = document.querySelector('[data-again]');

// Counted from when the page was loaded: the clock of the device may be wrong, but it keeps running during sleep.
const end = Date.now() + Number(box.dataset.countdown) * 1000;

const notify = offerNotification();
const ticking = setInterval(show, 1000);
show();
document.addEventListener('visibilitychange', show);
// A page from the back-forward cache did not run while it was away.
addEventListener('pageshow', show);

function show() {
  const seconds = Math.max(0, Math.ceil((end - Date.now()) / 1000));
  const text = `${pad(Math.floor(seconds / 60))}:${pad(seconds % 60)}`;
  time.textContent = text;
  progress.value = progress.max - seconds;
  document.title = box.dataset.runningTitle.replace('{time}', () => text);
  if (seconds === 0) offerVote();
}

function offerVote() {
  clearInterval(ticking);
  document.removeEventListener('visibilitychange', show);
  removeEventListener('pageshow', show);
  document.title = box.dataset.readyTitle;
  box.hidden = true;
  for (const element of document.querySelectorAll('[data-until-again]')) element.hidden = true;
  // Voting is the primary action now.
  document.querySelector('[data-back]')?.classList.add('secondary');
  again.hidden = false;
  // Filled in only now, so that screen readers announce it.
  const text = again.querySelector('[data-again-text]');
  text.textContent = text.dataset.againText;
  notify();
}

/** Returns the function to call when the cooldown is over. */
function offerNotification() {
  const frame = document.querySelector('[data-notify-box]');
  if (!frame || !canNotify()) return () => {};
  const button = frame.querySelector('[data-notify]');
  const status = frame.querySelector('[data-notify-status]');
  const toggle = (isOn) => {
    button.setAttribute('aria-pressed', String(isOn));
    button.textContent = isOn ? button.dataset.on : button.dataset.off;
    status.textContent = isOn ? status.dataset.keep : '';
  };
  button.addEventListener('click', async () => {
    if (button.getAttribute('aria-pressed') === 'true') return toggle(false);
    const permission = await Notification.requestPermission();
    toggle(permission === 'granted');
    if (permission === 'denied') status.textContent = status.dataset.blocked;
  });
  frame.hidden = false;
  return () => {
    if (button.getAttribute('aria-pressed') !== 'true') return;
    try {
      const shown = new Notification(button.dataset.title, { tag: location.pathname });
      shown.addEventListener('click', () => window.focus());
    } catch {
      // Some mobile browsers only allow notifications from service workers.
    }
  };
}

/** Mobile browsers have the constructor too, but it throws: they allow notifications from service workers only. */
function canNotify() {
  if (!('Notification' in window)) return false;
  if (Notification.permission !== 'default') return true;
  try {
    // Without permission, browsers show nothing.
    new Notification('').close();
    return true;
  } catch {
    return false;
  }
}

function pad(number) {
  return String(number).padStart(2, '0');
}
