/** Prevents double submission, keeps form responses out of the history, and scrolls to errors. */

/** After this time a form can be sent again: the visitor may have stopped the request. */
const BUSY_MS = 20_000;

document.addEventListener('submit', (event) => {
  const { target: form, submitter } = event;
  const method = submitter?.getAttribute('formmethod') ?? form.method;
  if (event.defaultPrevented || method !== 'post') return;
  if (form.dataset.isSent) {
    event.preventDefault();
    return;
  }
  form.dataset.isSent = 'true';
  (submitter ?? form.querySelector('button'))?.setAttribute('aria-busy', 'true');
  setTimeout(() => makeReady(form), BUSY_MS);
});

// In a page from the back-forward cache, forms are still marked as sent.
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form[data-is-sent]')) makeReady(form);
});

function makeReady(form) {
  delete form.dataset.isSent;
  for (const button of form.querySelectorAll('[aria-busy]')) button.removeAttribute('aria-busy');
}

// This page is the response to a form. Its URL is replaced, so that reloading it does not send the form again.
const page = document.querySelector('[data-page-address]');
if (page) history.replaceState(null, '', page.dataset.pageAddress);

// Browsers ignore `autofocus` if the URL has a fragment.
const error = document.querySelector('[role="alert"][autofocus], [aria-invalid][autofocus]');
if (error) {
  error.focus();
  error.scrollIntoView({ block: 'center' });
}
