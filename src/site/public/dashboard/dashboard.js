/** Adds copy buttons to the dashboard, and updates the custom vote link while the user types. */

for (const button of document.querySelectorAll('button[data-copy]')) {
  button.hidden = false;
  button.addEventListener('click', () => copy(button));
}

showCopyButtons(document);

// On the document, so that it also works for rows that are added later (live.js).
document.addEventListener('live', ({ target }) => showCopyButtons(target));
document.addEventListener('click', ({ target }) => {
  const button = target instanceof Element && target.closest('button[data-copy-text]');
  if (button) copyText(button);
});

for (const form of document.querySelectorAll('form[data-copy-form]')) {
  form.hidden = false;
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    copyKey(form);
  });
}

for (const form of document.querySelectorAll('form[data-link-builder]')) buildLinks(form);

function showCopyButtons(part) {
  for (const button of part.querySelectorAll('button[data-copy-text]')) button.hidden = false;
}

async function copy(button) {
  const source = document.getElementById(button.dataset.copy);
  try {
    await navigator.clipboard.writeText(source.textContent);
    showResult(button, button.dataset.copied);
  } catch {
    // The browser does not allow copying: select the text instead, so that the user can copy it.
    getSelection().selectAllChildren(source);
    showResult(button, button.dataset.failed);
  }
}

/** Copies the key to the clipboard without showing it. */
async function copyKey(form) {
  const button = form.querySelector('button');
  if (button.disabled) return;
  button.disabled = true;
  try {
    const key = loadKey(form);
    // Safari only allows writing while the click is handled, so it gets a promise.
    if (window.ClipboardItem) {
      const blob = key.then((text) => new Blob([text], { type: 'text/plain' }));
      await navigator.clipboard.write([new ClipboardItem({ 'text/plain': blob })]);
    } else {
      await navigator.clipboard.writeText(await key);
    }
    showResult(button, form.dataset.copied);
  } catch {
    showResult(button, form.dataset.failed);
  } finally {
    button.disabled = false;
  }
}

async function loadKey(form) {
  const response = await fetch(form.action, {
    method: 'POST',
    body: new URLSearchParams(new FormData(form)),
  });
  if (!response.ok) throw new Error(`the server responded with status ${response.status}`);
  return (await response.json()).key;
}

/** For a button without text: it changes its color, and the result is announced to screen readers. */
async function copyText(button) {
  try {
    await navigator.clipboard.writeText(button.dataset.copyText);
  } catch {
    // The browser does not allow copying. The id is also the title of the button.
    return;
  }
  announce(button.dataset.copied);
  button.classList.add('copied');
  setTimeout(() => button.classList.remove('copied'), 2000);
}

/** Shows the text in the button for a moment, and announces it to screen readers. */
function showResult(button, text) {
  button.dataset.label ??= button.textContent;
  button.textContent = text;
  announce(text);
  clearTimeout(button.restoring);
  button.restoring = setTimeout(() => {
    button.textContent = button.dataset.label;
  }, 2000);
}

function announce(text) {
  let region = document.getElementById('announcement');
  if (!region) {
    region = document.createElement('p');
    region.id = 'announcement';
    region.className = 'visually-hidden';
    region.setAttribute('role', 'status');
    document.getElementById('main').append(region);
  }
  region.textContent = text;
}

/** The characters that the voting page rejects in a link (`isPrintable` in domain/text/text.ts). */
const UNPRINTABLE = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u;

function buildLinks(form) {
  const input = form.elements.external_id;
  const link = document.getElementById(form.dataset.linkBuilder);
  const error = document.getElementById(form.dataset.linkError);
  const build = () => {
    // A lone surrogate, as can occur while an emoji is typed, cannot be encoded in a URL.
    const externalId = (input.value || form.dataset.linkExample).toWellFormed();
    const isWrong = UNPRINTABLE.test(externalId) || [...externalId].length > Number(form.dataset.maxLength);
    mark(input, error, isWrong);
    link.parentElement.hidden = isWrong;
    link.href = form.dataset.linkBase + encodeURIComponent(externalId);
    link.textContent = link.href;
  };
  input.addEventListener('input', build);
  form.addEventListener('submit', (event) => event.preventDefault());
  form.querySelector('button').hidden = true;
}

/** Marks the field in the same way as the server does. */
function mark(input, error, isWrong) {
  error.hidden = !isWrong;
  for (const [name, value] of Object.entries({ 'aria-invalid': 'true', 'aria-describedby': error.id })) {
    if (isWrong) input.setAttribute(name, value);
    else input.removeAttribute(name);
  }
}
