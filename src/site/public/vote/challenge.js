/*
 * Solves the challenge of the form in the background: in a worker, or with Turnstile if the site uses it. A vote that is
 * submitted earlier is sent as soon as the solution is ready. A classic script, which blocks the page until it runs: the
 * function keeps its names out of the global scope.
 */
(() => {
  const TURNSTILE = 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit';
  const TURNSTILE_TIMEOUT_MS = 8000;
  const MAX_WORKERS = 4;

  let form;
  let isSolved = false;
  let isWaiting = false;
  let hasFailed = false;

  // Before the form exists, so that no click can come too early.
  document.addEventListener(
    'submit',
    (event) => {
      if (isSolved || !event.target.matches('form[data-challenge]')) return;
      event.preventDefault();
      isWaiting = true;
      sayProgress();
    },
    { capture: true },
  );

  // The first change is to `interactive`: the form is there. `DOMContentLoaded` would wait for all other scripts.
  document.addEventListener(
    'readystatechange',
    () => {
      form = document.querySelector('form[data-challenge]');
      sayProgress();
      if (form.dataset.turnstile) loadTurnstile();
      else solve();
    },
    { once: true },
  );

  function sayProgress() {
    if (hasFailed) say('failed');
    else say(isWaiting ? 'waiting' : 'busy');
  }

  function say(state) {
    const status = document.querySelector('[data-challenge-status]');
    if (!status) return;
    status.textContent = status.dataset[state];
    status.toggleAttribute('data-is-busy', state === 'busy' || state === 'waiting');
    const button = status.closest('form').querySelector('button');
    if (state === 'waiting') button.setAttribute('aria-busy', 'true');
    else button.removeAttribute('aria-busy');
  }

  function finish() {
    isSolved = true;
    say('ready');
    if (isWaiting) form.requestSubmit();
  }

  /** Several workers share the counters: in some browsers, one worker uses only one core. */
  function solve() {
    const challenge = JSON.parse(form.dataset.challenge);
    const count = Math.min(MAX_WORKERS, navigator.hardwareConcurrency || 1);
    const workers = Array.from({ length: count }, () => new Worker(form.dataset.worker, { type: 'module' }));
    const stop = () => {
      for (const worker of workers) worker.terminate();
    };
    const fail = once(() => {
      stop();
      hasFailed = true;
      sayProgress();
    });
    const succeed = once((solution) => {
      stop();
      const field = form.elements.altcha;
      field.value = btoa(JSON.stringify({ challenge, solution }));
      field.disabled = false;
      finish();
    });
    for (const [first, worker] of workers.entries()) {
      worker.addEventListener('error', fail);
      worker.addEventListener('message', ({ data: solution }) => succeed(solution));
      worker.postMessage({ parameters: challenge.parameters, first, step: count });
    }
  }

  /** Falls back to the proof of work if Turnstile cannot be loaded or run, or has no result in time. */
  function loadTurnstile() {
    const fallBack = once(solve);
    const script = document.createElement('script');
    script.src = TURNSTILE;
    script.addEventListener('error', fallBack);
    const timer = setTimeout(fallBack, TURNSTILE_TIMEOUT_MS);
    const options = {
      sitekey: form.dataset.turnstile,
      action: form.dataset.turnstileAction,
      cData: form.dataset.turnstileData,
      callback() {
        clearTimeout(timer);
        finish();
      },
      // The voter has to click, and can take as long as they need.
      'before-interactive-callback': () => clearTimeout(timer),
      'error-callback': fallBack,
      'unsupported-callback': fallBack,
    };
    script.addEventListener('load', () => {
      try {
        window.turnstile.render(form.querySelector('[data-turnstile-box]'), options);
      } catch {
        // Another script was served instead, or Turnstile rejected the site key.
        fallBack();
      }
    });
    document.head.append(script);
  }

  function once(work) {
    let isDone = false;
    return (...given) => {
      if (!isDone) work(...given);
      isDone = true;
    };
  }
})();
