import type { FiberImage } from '@esd/record/catalog/catalog';
import { membersOf, objectText } from '../record-rows.ts';
import { Button } from './buttons.tsx';

/** Note at a smaller size of an image whose contrast is stretched. */
export const CONTRAST_STRETCHED = 'contrast stretched';

/** Thumbnails of the images of a record. Each links to the full image, which script shows in a dialog. */
export function RecordImages({ images, base }: { images: readonly FiberImage[]; base: string }) {
  const shown = images.flatMap(({ imageId, imageType, imageDefinition, width, height, stretched }) => {
    if (imageId === undefined) return [];
    const definition = objectText(membersOf(imageDefinition));
    const details = [imageType, definition, stretched && CONTRAST_STRETCHED].filter((text) => text);
    const size = width === undefined || height === undefined ? '' : ` (${width} × ${height} pixels)`;
    const address = `${base}/images/${encodeURIComponent(imageId)}/content`;
    return [{ address, stretched, caption: `${['Image of the fibers', ...details].join(', ')}${size}` }];
  });
  const [first] = shown;
  return (
    <section aria-labelledby="images">
      <h2 id="images">Images</h2>
      {first === undefined ? (
        <p class="small muted">
          This experiment has no images. If it is yours, <a href={`${base}/account`}>add one</a>.
        </p>
      ) : (
        <>
          <ul class="images">
            {shown.map(({ address, stretched, caption }) => (
              <li key={address}>
                <a href={address} data-image={caption} data-image-size={stretched ? 'medium' : undefined}>
                  <img src={`${address}?size=thumb`} alt={caption} loading="lazy" />
                </a>
                {stretched && <p class="small muted">{CONTRAST_STRETCHED}</p>}
              </li>
            ))}
          </ul>
          <dialog class="image-dialog" aria-labelledby="image-caption">
            <p id="image-caption" />
            <img alt="" />
            <p class="row">
              <Button data-image-step="-1">Previous image</Button>
              <Button data-image-step="1">Next image</Button>
              <a class="button" href={first.address} data-image-whole>
                Open full size
              </a>
              <Button class="primary" data-image-step="0">
                Close
              </Button>
            </p>
          </dialog>
        </>
      )}
    </section>
  );
}
