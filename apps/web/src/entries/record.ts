/** The script of `/record/{id}`: restores the last selected units, and shows images in a dialog. */
import { moveFocus } from '../client/move-focus.ts';
import { storedText, storeText } from '../client/stored-text.ts';

{
  const KEY = 'esd-record-units';
  const units = document.querySelector<HTMLSelectElement>('#units');
  const stored = storedText(KEY);
  if (units && stored !== null && [...units.options].some(({ value }) => value === stored)) units.value = stored;
  units?.addEventListener('change', () => storeText(KEY, units.value));

  const dialog = document.querySelector<HTMLDialogElement>('.image-dialog');
  const links = [...document.querySelectorAll<HTMLAnchorElement>('a[data-image]')];
  const image = dialog?.querySelector('img');
  let shown = 0;
  const show = (at: number): void => {
    shown = (at + links.length) % links.length;
    const link = links[shown];
    if (!dialog || !image || !link) return;
    const { image: caption = '', imageSize } = link.dataset;
    image.src = imageSize === undefined ? link.href : `${link.href}?size=${imageSize}`;
    image.alt = caption;
    const text = dialog.querySelector('#image-caption');
    if (text) text.textContent = links.length > 1 ? `${caption} · ${shown + 1} of ${links.length}` : caption;
    dialog.querySelector('a')?.setAttribute('href', link.href);
    for (const step of dialog.querySelectorAll<HTMLButtonElement>('[data-image-step="-1"], [data-image-step="1"]')) {
      step.hidden = links.length < 2;
    }
    if (!dialog.open) dialog.showModal();
  };
  for (const [at, link] of links.entries()) {
    link.addEventListener('click', (event) => {
      // Clicks that open a new tab or window keep their default behavior.
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      show(at);
    });
  }
  dialog?.addEventListener('click', ({ target }) => {
    const step = target instanceof HTMLElement ? target.dataset['imageStep'] : undefined;
    if (step === '0' || target === dialog) dialog.close();
    else if (step !== undefined) show(shown + Number(step));
  });
  dialog?.addEventListener('keydown', ({ key }) => {
    if (links.length < 2) return;
    if (key === 'ArrowRight') show(shown + 1);
    if (key === 'ArrowLeft') show(shown - 1);
  });
  dialog?.addEventListener('close', () => moveFocus(links[shown]));
}
