/** Shows the figures of the bar under the pointer immediately. Without scripts the browser shows them after a delay. */

for (const plot of document.querySelectorAll('.bars-plot')) addTip(plot);

// Charts that were replaced by live.js.
document.addEventListener('live', ({ target }) => {
  for (const plot of target.querySelectorAll('.bars-plot')) addTip(plot);
});

function addTip(plot) {
  const tip = Object.assign(document.createElement('div'), { className: 'chart-tip', hidden: true });
  plot.parentElement.append(tip);
  plot.addEventListener('pointerover', ({ target }) => {
    const slot = target.closest('.slot');
    if (slot) show(tip, plot, slot);
  });
  plot.addEventListener('pointerleave', () => {
    tip.hidden = true;
  });
}

function show(tip, plot, slot) {
  const title = slot.querySelector('title');
  // Moved to an attribute, so that the browser does not show its own tooltip as well.
  if (title) {
    slot.dataset.title = title.textContent;
    title.remove();
  }
  tip.textContent = slot.dataset.title;
  tip.hidden = false;
  const frame = plot.parentElement.getBoundingClientRect();
  const bar = slot.querySelector('.hit').getBoundingClientRect();
  const middle = bar.left + bar.width / 2 - frame.left - tip.offsetWidth / 2;
  tip.style.left = `${Math.max(0, Math.min(middle, frame.width - tip.offsetWidth))}px`;
}
