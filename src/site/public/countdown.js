/*
 * Counts the cooldown down, and offers the vote again when it is over. The page says the same without this script,
 * in minutes and in UTC.
 */
const box = document.querySelector('[data-countdown]');
const time = box.querySelector('[data-time]');
const progress = box.querySelector('[data-progress]');
const again = document.querySelector('[data-again]');

// Counted from when the page arrived: the clock of this device may be wrong, but it runs, even through a sleep.
const end = Date.now() + Number(box.dataset.countdown) * 1000;

for (const element of document.querySelectorAll('[data-local-time]')) {
  element.textContent = new Intl.DateTimeFormat(document.documentElement.lang, {
    hour: 'numeric',
    minute: '2-digit',
  }).format(new Date(element.dateTime));
}

const ticking = setInterval(show, 1000);
show();
document.addEventListener('visibilitychange', show);

function show() {
  const seconds = Math.max(0, Math.ceil((end - Date.now()) / 1000));
  time.textContent = `${pad(Math.floor(seconds / 60))}:${pad(seconds % 60)}`;
  progress.value = progress.max - seconds;
  if (seconds === 0) offerVote();
}

function offerVote() {
  clearInterval(ticking);
  document.removeEventListener('visibilitychange', show);
  box.hidden = true;
  again.hidden = false;
  // Filled only now, so that a screen reader says it.
  const text = again.querySelector('[data-again-text]');
  text.textContent = text.dataset.againText;
}

function pad(number) {
  return String(number).padStart(2, '0');
}
