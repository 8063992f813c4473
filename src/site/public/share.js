/* Shares the link of a community, or copies it where the browser cannot share. */
offerShare();

function offerShare() {
  const button = document.querySelector('[data-share]');
  if (!button || !(navigator.share || navigator.clipboard)) return;
  const label = navigator.share ? button.dataset.shareLabel : button.textContent;
  button.textContent = label;
  button.hidden = false;
  button.addEventListener('click', async () => {
    const { share: url, shareTitle: title, copied } = button.dataset;
    try {
      if (navigator.share) return await navigator.share({ url, title });
      await navigator.clipboard.writeText(url);
      button.textContent = copied;
      setTimeout(() => {
        button.textContent = label;
      }, 2000);
    } catch {
      // The user closed the dialog, or the browser refused: the link can still be copied manually.
      document.querySelector('#share-link')?.select();
    }
  });
}
