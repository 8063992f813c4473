/* Says that a form has unsaved changes, and asks before the page is left with them. */
for (const form of document.querySelectorAll('form[data-unsaved-form]')) {
  const status = form.querySelector('[data-unsaved]');
  const saved = valuesOf(form);
  let isSent = false;

  const hasChanged = () => !isSent && valuesOf(form) !== saved;
  const show = () => {
    const isChanged = hasChanged();
    status.hidden = !isChanged;
    status.textContent = isChanged ? status.dataset.unsaved : '';
    form.toggleAttribute('data-is-changed', isChanged);
  };

  form.addEventListener('input', show);
  form.addEventListener('submit', () => {
    isSent = true;
  });
  addEventListener('beforeunload', (event) => {
    if (hasChanged()) event.preventDefault();
  });
  // In a page from the back-forward cache, the form is still marked as sent.
  addEventListener('pageshow', () => {
    isSent = false;
    show();
  });
}

function valuesOf(form) {
  return new URLSearchParams(new FormData(form)).toString();
}
