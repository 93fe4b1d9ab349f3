import { isObject } from '@esd/record/validate/is-object';
import {
  type FormField,
  formField,
  formGroups,
  IMAGES,
  isResult,
  POLYMERS,
  solutionFields,
  SOLVENTS,
} from './form-fields.ts';

/** The input of one experiment by path, as typed. Several labels are joined with `; `. */
export type FormValues = Readonly<Record<string, string>>;

export interface FormImage {
  readonly imageId: string;
  readonly name: string;
  /** The path below the root of the service. */
  readonly contentUrl: string;
  /** The edge length of a pixel and its unit, as typed. */
  readonly pixelSize: string;
  readonly pixelSizeUnit: string;
  /** Whether the contrast of the preview is stretched. */
  readonly stretched?: boolean;
  /** The messages of the upload, such as the source of the pixel size. */
  readonly warnings?: readonly string[];
  /** The type of the image and the other members of its definition, which are sent back unchanged. */
  readonly rest?: Readonly<Record<string, unknown>>;
}

export interface FormExperiment {
  readonly values: FormValues;
  readonly images: readonly FormImage[];
  /** Values of the record that the form does not show, by path; they are sent back unchanged. */
  readonly rest?: Readonly<Record<string, unknown>>;
}

const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/** Parses a decimal number; undefined for any other text. */
export function numberOf(text: string): number | undefined {
  const typed = text.trim().replace(/^−/, '-');
  return DECIMAL.test(typed) ? Number(typed) : undefined;
}

/** Returns the number of component lines that the form shows, at least 1. */
export function componentCount(values: FormValues, list: string): number {
  const counts = Object.keys(values).flatMap((path) =>
    path.startsWith(`${list}[`) ? [Number.parseInt(path.slice(list.length + 1), 10) + 1] : [],
  );
  return Math.max(1, ...counts);
}

const COMPONENTS = [
  [POLYMERS, ['polymerName', 'weightRatio'], ['polymerWeight', 'molecularWeight']],
  [SOLVENTS, ['solventName', 'volumeRatio'], ['weight']],
] as const;

/** The fields of one component: its name and share, and its amounts, which the form shows in another group. */
export interface ComponentFields {
  readonly line: readonly FormField[];
  readonly amounts: readonly FormField[];
}

/** Returns the fields of each component in the order of the form. Labels have a number if there are several components. */
export function componentFields(values: FormValues, list: typeof POLYMERS | typeof SOLVENTS): ComponentFields[] {
  const count = componentCount(values, list);
  const [, line, amounts] = list === POLYMERS ? COMPONENTS[0] : COMPONENTS[1];
  return Array.from({ length: count }, (_, index) => {
    const fieldOf = (member: string): FormField => {
      const field = formField(`${list}[${index}].${member}`);
      return count === 1 ? field : { ...field, label: `${field.label} ${index + 1}` };
    };
    return { line: line.map(fieldOf), amounts: amounts.map(fieldOf) };
  });
}

/** Returns the fields of an experiment in the order of the form. */
export function fieldsOf(values: FormValues): FormField[] {
  const components = COMPONENTS.flatMap(([list]) => componentFields(values, list));
  return [
    ...components.flatMap(({ line }) => line),
    ...solutionFields.fields,
    ...formGroups.flatMap(({ fields, list }) =>
      list === 'amounts' ? components.flatMap(({ amounts }) => amounts) : fields,
    ),
  ];
}

export const emptyExperiment: FormExperiment = { values: {}, images: [] };

export function isEmptyExperiment({ values, images }: FormExperiment): boolean {
  return images.length === 0 && fieldsOf(values).every(({ path }) => (values[path] ?? '').trim() === '');
}

/** Returns a copy of an experiment without its results. */
export function copyOf({ values, rest }: FormExperiment): FormExperiment {
  const settingsOf = <Value>(of: Readonly<Record<string, Value>>): Record<string, Value> =>
    Object.fromEntries(Object.entries(of).filter(([path]) => !isResult(path)));
  return { values: settingsOf(values), images: [], ...(rest && { rest: settingsOf(rest) }) };
}

/** Returns the experiment as an item of `experimentData`. An invalid number remains text, so that the rules of a submission report it. */
export function itemOf({ values, images, rest = {} }: FormExperiment): Record<string, unknown> {
  const item: Record<string, unknown> = {};
  for (const [path, value] of Object.entries(rest)) put(item, path, value);
  for (const shown of fieldsOf(values)) {
    const text = (values[shown.path] ?? '').trim();
    if (text === '') continue;
    put(item, shown.path, valueOf(shown, text));
    const unit = unitOf(shown, values);
    if (shown.dimensions !== undefined && unit !== undefined) put(item, shown.unitPath, unit);
  }
  if (images.length > 0) item[IMAGES] = images.map(imageItem);
  return dense(item);
}

/** Returns the selected unit of a field, or its default. Undefined if there is neither, or the record states no unit. */
export function unitOf({ unitPath, unit }: FormField, values: FormValues): string | undefined {
  const chosen = values[unitPath];
  return chosen === '' ? undefined : (chosen ?? unit);
}

export function labelsOf(text: string): string[] {
  return text.split(';').flatMap((label) => (label.trim() === '' ? [] : [label.trim()]));
}

function valueOf({ field, dimensions }: FormField, text: string): unknown {
  switch (field.kind) {
    case 'boolean':
      return text === 'yes' || text === 'no' ? text === 'yes' : text;
    case 'labels':
      return labelsOf(text);
    case 'number':
    case 'quantity':
      return numberOf(text) ?? text;
    default:
      return dimensions === undefined ? text : (numberOf(text) ?? text);
  }
}

function imageItem({ imageId, pixelSize, pixelSizeUnit, rest = {} }: FormImage): Record<string, unknown> {
  const { imageType, imageDefinition } = rest;
  const size = pixelSize.trim() === '' ? undefined : (numberOf(pixelSize) ?? pixelSize);
  const definition = {
    ...(isObject(imageDefinition) ? imageDefinition : {}),
    ...(size === undefined ? {} : { pixelSize: size, pixelSizeUnit }),
  };
  return {
    imageId,
    ...(imageType === undefined ? {} : { imageType }),
    ...(Object.keys(definition).length === 0 ? {} : { imageDefinition: definition }),
  };
}

function stepsOf(path: string): (string | number)[] {
  return [...path.matchAll(/([^.[\]]+)|\[(\d+)\]/g)].map(([, member, index]) => member ?? Number(index));
}

function put(into: Record<string, unknown>, path: string, value: unknown): void {
  const steps = stepsOf(path);
  let at: object = into;
  for (const [index, step] of steps.entries()) {
    if (index === steps.length - 1) {
      Reflect.set(at, step, value);
      return;
    }
    const inner: unknown = Reflect.get(at, step);
    const next: object =
      typeof inner === 'object' && inner !== null ? inner : typeof steps[index + 1] === 'number' ? [] : {};
    Reflect.set(at, step, next);
    at = next;
  }
}

/** Fills gaps between components with empty objects, so that the indexes in paths stay valid. */
function dense(item: Record<string, unknown>): Record<string, unknown> {
  for (const [list] of COMPONENTS) {
    const [group = '', member = ''] = list.split('.');
    const holder = item[group];
    if (!isObject(holder)) continue;
    const components = holder[member];
    if (Array.isArray(components))
      Reflect.set(
        holder,
        member,
        Array.from(components, (component: unknown) => component ?? {}),
      );
  }
  return item;
}

/** Removes empty component lines, so that the indexes in a response match the lines of the form. */
export function withoutEmptyLines(experiment: FormExperiment): FormExperiment {
  const values: Record<string, string> = {};
  for (const [path, text] of Object.entries(experiment.values)) {
    if (!COMPONENTS.some(([list]) => path.startsWith(`${list}[`))) values[path] = text;
  }
  for (const [list] of COMPONENTS) {
    const lines = Array.from({ length: componentCount(experiment.values, list) }, (_, at) => `${list}[${at}].`);
    const filled = lines.filter((line) => hasValue(experiment, line));
    for (const [index, line] of filled.entries()) {
      for (const [path, text] of Object.entries(experiment.values)) {
        if (path.startsWith(line)) values[`${list}[${index}].${path.slice(line.length)}`] = text;
      }
    }
  }
  return { ...experiment, values };
}

/** Returns whether any field below a path has input. */
export function hasValue({ values }: FormExperiment, start: string): boolean {
  return Object.entries(values).some(
    ([path, text]) => path.startsWith(start) && !path.endsWith('Unit') && text.trim() !== '',
  );
}

/** Returns the form of a stored record. Values without a field go to `rest`. */
export function experimentOf(item: Readonly<Record<string, unknown>>): FormExperiment {
  const values: Record<string, string> = {};
  const rest: Record<string, unknown> = {};
  const images = Array.isArray(item[IMAGES]) ? item[IMAGES].filter(isObject).map(imageOf) : [];
  const flat = [...leavesOf(item)].filter(([path]) => !path.startsWith(IMAGES) && !RESPONSE_MEMBERS.has(path));
  const components = Object.fromEntries(flat.map(([path]) => [path, '']));
  const fields = fieldsOf(components);
  for (const [path, value] of flat) {
    // A unit without a value has no field.
    const shown = fields.find((field) => field.path === path || (field.unitPath === path && field.path in components));
    const text = shown && textOf(value);
    if (text === undefined) rest[path] = value;
    else values[path] = text;
  }
  for (const { path, unitPath, dimensions } of fields) {
    // The record states no unit, so the form must not select the default.
    if (dimensions !== undefined && values[path] !== undefined) values[unitPath] ??= '';
  }
  return { values, images, ...(Object.keys(rest).length === 0 ? {} : { rest }) };
}

/** Members that responses add to a record. */
const RESPONSE_MEMBERS: ReadonlySet<string> = new Set([
  'recordId',
  'experimentId',
  'status',
  'missingFields',
  'rejectionReason',
  'warnings',
  'revision',
  'publishedRevision',
]);

/** Yields the values of an item by path. Labels and lists of free objects count as values. */
function* leavesOf(item: Readonly<Record<string, unknown>>, before = ''): Generator<[string, unknown]> {
  for (const [name, value] of Object.entries(item)) {
    const path = before === '' ? name : `${before}.${name}`;
    if (RESPONSE_MEMBERS.has(path) || value === null) continue;
    if (isObject(value)) yield* leavesOf(value, path);
    else if (Array.isArray(value) && (path === POLYMERS || path === SOLVENTS)) {
      for (const [at, component] of value.entries())
        if (isObject(component)) yield* leavesOf(component, `${path}[${at}]`);
    } else yield [path, value];
  }
}

function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (!Array.isArray(value)) return undefined;
  const labels = value.map((label: unknown) => (isObject(label) ? label['label'] : label));
  return labels.every((label) => typeof label === 'string') ? labels.join('; ') : undefined;
}

export function imageOf({
  imageId,
  contentUrl,
  imageType,
  imageDefinition,
  stretched,
}: Readonly<Record<string, unknown>>): FormImage {
  const { pixelSize, pixelSizeUnit, ...definition } = isObject(imageDefinition) ? imageDefinition : {};
  const unit = typeof pixelSizeUnit === 'string' ? pixelSizeUnit : 'nm';
  return {
    imageId: String(imageId),
    name: typeof imageType === 'string' ? imageType : 'Image',
    contentUrl: typeof contentUrl === 'string' ? contentUrl : `/images/${String(imageId)}/content`,
    pixelSize: typeof pixelSize === 'number' ? String(pixelSize) : '',
    pixelSizeUnit: unit,
    ...(stretched === true ? { stretched } : {}),
    rest: { ...(imageType === undefined ? {} : { imageType }), imageDefinition: definition },
  };
}
