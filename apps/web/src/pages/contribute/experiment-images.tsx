import { useSignal } from '@preact/signals';
import { call } from '../../client/call.ts';
import { problemText } from '../../client/form.ts';
import type { Contribution } from '../../contribute/contribution.ts';
import { emptyExperiment, type FormImage, imageOf } from '../../contribute/form-values.ts';
import { descriptionOf } from '../../parts/text-field.tsx';
import { IMAGES } from '../../contribute/form-fields.ts';
import { LinkButton } from '../../parts/buttons.tsx';
import { CONTRAST_STRETCHED } from '../../parts/record-images.tsx';
import { FieldError } from './plain-field.tsx';

const LENGTHS = ['nm', 'µm', 'mm'];
const UPLOAD_MS = 300_000;

interface Props {
  contribution: Contribution;
  record: number;
  base: string;
}

/** Shows the images of an experiment. Each is uploaded when chosen; sending attaches it to the record. */
export function ExperimentImages({ contribution, record, base }: Props) {
  const { images } = contribution.experiments.value[record] ?? emptyExperiment;
  const uploading = useSignal<readonly string[]>([]);
  const failure = useSignal<string | undefined>(undefined);
  const id = `${record}-images`;
  const { errors } = contribution.shown(record, IMAGES);
  const error = failure.value ?? errors[0]?.text;
  const put = (change: (images: readonly FormImage[]) => readonly FormImage[]): void =>
    contribution.replace(record, (before) => ({ ...before, images: change(before.images) }));
  const upload = async (file: File): Promise<void> => {
    uploading.value = [...uploading.value, file.name];
    try {
      const form = new FormData();
      form.append('file', file);
      const options = { form, deadlineMs: UPLOAD_MS };
      const { body } = await call(contribution.send, 'post', '/images/upload', options);
      const warnings = body.warnings.map(({ message }) => message);
      put((before) => [...before, { ...imageOf(body), name: file.name, warnings, rest: {} }]);
    } catch (thrown) {
      failure.value = `${file.name}: ${problemText(thrown)}`;
    } finally {
      uploading.value = uploading.value.filter((name) => name !== file.name);
    }
  };
  const remove = ({ imageId }: FormImage): void => {
    put((before) => before.filter((image) => image.imageId !== imageId));
    contribution.left.value = new Set(contribution.left.value);
    // The service deletes unattached images after some days anyway.
    if (!contribution.own.value)
      void contribution.send(`/images/${imageId}`, { method: 'DELETE' }).catch(() => undefined);
  };
  return (
    <div class="images-field">
      <div class={error === undefined ? 'field' : 'field wrong'}>
        <label for={id}>Add images</label>
        <p class="hint" id={`${id}-hint`}>
          PNG, JPEG, TIFF, or WebP, at most 20 MB. Enter the pixel size so that others can measure diameters.
        </p>
        <input
          id={id}
          type="file"
          multiple
          accept="image/png,image/jpeg,image/tiff,image/webp"
          {...descriptionOf(id, { hint: true, error })}
          onChange={({ currentTarget }) => {
            failure.value = undefined;
            const files = [...(currentTarget.files ?? [])];
            currentTarget.value = '';
            void (async () => {
              for (const file of files) await upload(file);
            })();
          }}
        />
        {error !== undefined && <FieldError id={id} text={error} />}
        <p role="status" class="hint">
          {uploading.value.length > 0 && `Uploading ${uploading.value.join(', ')}…`}
        </p>
      </div>
      <ul class="previews">
        {images.map((image, at) => (
          <li key={image.imageId}>
            <img src={`${base}${image.contentUrl}?size=thumb`} alt={`Preview of ${image.name}`} />
            {image.stretched && <p class="hint">{CONTRAST_STRETCHED}</p>}
            {image.warnings?.map((text) => (
              <p key={text} class="hint">
                {text}
              </p>
            ))}
            <div class="field">
              <label for={`${id}-${at}`}>Pixel size of {image.name}</label>
              <div class="joined">
                <input
                  id={`${id}-${at}`}
                  inputMode="decimal"
                  autocomplete="off"
                  value={image.pixelSize}
                  onInput={({ currentTarget: { value } }) =>
                    put((before) => before.map((other) => (other === image ? { ...other, pixelSize: value } : other)))
                  }
                />
                <select
                  aria-label={`Pixel size of ${image.name}, unit`}
                  value={image.pixelSizeUnit}
                  onChange={({ currentTarget: { value } }) =>
                    put((before) =>
                      before.map((other) => (other === image ? { ...other, pixelSizeUnit: value } : other)),
                    )
                  }
                >
                  {[...new Set([image.pixelSizeUnit, ...LENGTHS])].map((unit) => (
                    <option key={unit} value={unit}>
                      {unit}
                    </option>
                  ))}
                </select>
              </div>
            </div>
            <LinkButton onClick={() => remove(image)}>Remove {image.name}</LinkButton>
          </li>
        ))}
      </ul>
    </div>
  );
}
