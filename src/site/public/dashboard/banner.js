/* Shows a chosen picture before it is uploaded, and says at once if its file is too large. */
const input = document.querySelector('#banner-file');
const error = document.querySelector('#banner-file-error');
const preview = document.querySelector('[data-banner-preview]');

input?.addEventListener('change', () => {
  const [file] = input.files;
  const isTooLarge = file !== undefined && file.size > Number(input.dataset.maxBytes);
  const message = isTooLarge ? input.dataset.tooLarge : '';
  input.setCustomValidity(message);
  input.toggleAttribute('aria-invalid', isTooLarge);
  if (isTooLarge) input.setAttribute('aria-invalid', 'true');
  error.textContent = message;
  error.hidden = !isTooLarge;
  if (file && !isTooLarge) show(file);
});

function show(file) {
  const reader = new FileReader();
  reader.addEventListener('load', () => {
    const image = new Image();
    image.alt = '';
    image.addEventListener('load', () => {
      const banner = preview.querySelector('.profile-banner');
      banner.classList.add('picture');
      banner.replaceChildren(image);
      const status = preview.querySelector('[data-unsaved]');
      status.textContent = status.dataset.unsaved;
    });
    image.src = reader.result;
  });
  reader.readAsDataURL(file);
}
