/** What scripts add to forms: a second click sends nothing, Back never asks to send a form again, errors are in view. */

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

// A page that the browser kept in memory comes back as it was left.
addEventListener('pageshow', () => {
  for (const form of document.querySelectorAll('form[data-is-sent]')) makeReady(form);
});

function makeReady(form) {
  delete form.dataset.isSent;
  for (const button of form.querySelectorAll('[aria-busy]')) button.removeAttribute('aria-busy');
}

// This page is the response to a form. In the history it gets the URL of its tab, which is loaded without the form.
const page = document.querySelector('[data-page-address]');
if (page) history.replaceState(null, '', page.dataset.pageAddress);

// Browsers ignore `autofocus` in a page whose address names a part of it.
const error = document.querySelector('[role="alert"][autofocus], [aria-invalid][autofocus]');
if (error) {
  error.focus();
  error.scrollIntoView({ block: 'center' });
}
