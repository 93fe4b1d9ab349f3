import { isObject } from '@esd/record/validate/is-object';
import { isPlainText } from '@esd/record/validate/plain-text';
import { FormError } from '@esd/service/http/internal-endpoints';

const MAX_TYPE_LENGTH = 200;
const DEEPEST = 4;
/** Nanometers of the units of `pixelSizeUnit`. */
export const NANOMETERS: Readonly<Record<string, number>> = { pm: 1e-3, nm: 1, um: 1e3, µm: 1e3, μm: 1e3, mm: 1e6 };

export interface Described {
  imageType: string | undefined;
  definition: Record<string, unknown> | undefined;
  /** Edge length of a pixel in nm, if given. */
  pixelSize: number | undefined;
}

/** Reads `imageType` and the JSON object `imageDefinition`. Throws VALIDATION_FAILED. */
export function readDescription(imageType: string | undefined, definitionJson: string | undefined): Described {
  const type = imageType?.trim();
  if (type !== undefined && (type.length > MAX_TYPE_LENGTH || !isPlainText(type))) {
    refuse(
      'imageType',
      'TOO_LONG',
      `At most ${MAX_TYPE_LENGTH} characters are allowed here, without control characters.`,
    );
  }
  const definition = definitionJson?.trim() ? parseDefinition(definitionJson) : undefined;
  return { imageType: type === '' ? undefined : type, definition, pixelSize: definition && pixelSizeOf(definition) };
}

function parseDefinition(text: string): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    refuse(
      'imageDefinition',
      'INVALID_FORMAT',
      'Expected a JSON object, such as {"pixelSize": 5, "pixelSizeUnit": "nm"}.',
    );
  }
  if (!isObject(value))
    refuse('imageDefinition', 'WRONG_TYPE', 'Expected a JSON object, not an array or a plain value.');
  if (depthOf(value) > DEEPEST) refuse('imageDefinition', 'TOO_DEEP', `At most ${DEEPEST} levels are allowed here.`);
  if (!textsOf(value).every(isPlainText)) {
    refuse('imageDefinition', 'INVALID_FORMAT', 'Control characters are not allowed here.');
  }
  return value;
}

function pixelSizeOf({ pixelSize, pixelSizeUnit }: Record<string, unknown>): number | undefined {
  if (pixelSize === undefined || pixelSize === null) return undefined;
  if (typeof pixelSize !== 'number' || !(pixelSize > 0) || pixelSize > 1e9) {
    refuse(
      'imageDefinition.pixelSize',
      'INVALID_FORMAT',
      'Expected a positive number up to 1e9: the edge length of a pixel in `pixelSizeUnit` (default nm).',
    );
  }
  const unit = pixelSizeUnit ?? 'nm';
  const factor = typeof unit === 'string' && Object.hasOwn(NANOMETERS, unit) ? NANOMETERS[unit] : undefined;
  if (factor === undefined) {
    refuse('imageDefinition.pixelSizeUnit', 'UNKNOWN_UNIT', `Expected one of ${Object.keys(NANOMETERS).join(', ')}.`);
  }
  return pixelSize * factor;
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.entries(value).flat().flatMap(textsOf) : [];
}

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

function refuse(path: string, code: string, message: string): never {
  throw new FormError([{ path, code, message }]);
}
