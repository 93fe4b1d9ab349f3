import { type References, resolveName } from '../reference/reference.ts';
import { numberForm, scanNumber } from './number-text.ts';
import {
  type NamesReader,
  type NamesReading,
  RATIO_UNIT,
  readShares,
  type Shares,
  splitShares,
} from './read-names-cell.ts';
import { splitJoinedNames } from './split-joined-names.ts';

export type ComponentsReading = NamesReading & { readonly shares?: Shares };

/** `7:3 DCM/DMF`, `70/30 (v/v) DMF/THF` */
const SHARES_BEFORE =
  /^(?<shares>\(?\d[\d.,]*(?: ?[:/] ?\d[\d.,]*)+\)?(?: ?\(?[vwm]\.? ?[/:] ?[vwm]\.?\)?)?) +(?<names>\D.*)$/i;
const PERCENT = '(?<number>\\d[\\d.,]*) ?(?<unit>[\\p{L}.-]{0,4} ?%(?: ?\\(?[vwm] ?/ ?[vwm]\\)?)?)';
/** `70% DMF`, `0.1 wt% of LiCl` */
const SHARE_BEFORE = new RegExp(`^${PERCENT} ?(?:of )?(?<name>\\p{L}.*)$`, 'iu');
/** `DMF (70%)`, `acetic acid 90%` */
const SHARE_BEHIND = new RegExp(`^(?<name>.*?[^\\s,:=(]) ?[,:=]? ?\\(?${PERCENT}\\)?$`, 'iu');
const SEPARATOR = / ?(?:[/:+&,;、–—]|-|(?<= )(?:and|with|containing)(?= )) ?/g;

/**
 * Reads the components in a cell: names, with shares behind them all (`DMF/acetone 7:3`), before them all, or at each
 * (`70% DMF + 30% acetone`), and with details (`PCL (Mn 80,000)`).
 *
 * @param isOnlyCell whether no other cell of the row has names
 */
export function readComponents(
  text: string,
  list: 'polymers' | 'solvents',
  references: References,
  reader: NamesReader,
  isOnlyCell: boolean,
): ComponentsReading {
  const plain = reader.read(text);
  if (plain.kind === 'names' || plain.code === 'AMBIGUOUS_NAME') return plain;
  const { names, shares } = sharesBefore(text) ?? splitShares(text);
  const named = shares && readDetailed(reader, names);
  if (named?.kind === 'names' && (!isOnlyCell || named.names.length === shares?.values.length))
    return { ...named, ...(shares && { shares }) };
  const detailed = reader.read(text, true);
  if (detailed.kind === 'names') return detailed;
  const mixture = readMixture(text, list, references, reader);
  if (mixture?.kind === 'names') return mixture;
  if (named?.kind === 'names') return { ...named, ...(shares && { shares }) };
  return mixture ?? explainPart(reader, text, named === undefined ? text : names);
}

/** Reads names, with their details if the text has any. */
function readDetailed({ read }: NamesReader, text: string): NamesReading {
  const plain = read(text);
  if (plain.kind === 'names' || plain.code === 'AMBIGUOUS_NAME') return plain;
  const detailed = read(text, true);
  return detailed.kind === 'names' ? detailed : plain;
}

function sharesBefore(text: string): { names: string; shares: Shares } | undefined {
  const { shares: written = '', names = '' } = SHARES_BEFORE.exec(text.trim())?.groups ?? {};
  const unit = RATIO_UNIT.exec(names);
  const shares = readShares(written + (unit?.[0] ?? ''));
  return shares && { names: unit === null ? names : names.slice(0, unit.index), shares };
}

interface Component {
  readonly name: string;
  readonly detail?: string;
  readonly share?: number;
  readonly unit?: string;
}

/** Reads names of which at least one has a share of its own; undefined for another text. */
function readMixture(
  text: string,
  list: 'polymers' | 'solvents',
  references: References,
  reader: NamesReader,
): ComponentsReading | undefined {
  const componentOf = (part: string): Component | undefined => {
    const { name = '', number, unit } = shareIn(part) ?? {};
    const token = scanNumber(number ?? '', 0);
    const form = token?.end === number?.length ? numberForm(token?.raw ?? '') : undefined;
    const component = form?.kind === 'one' ? reader.nameIn(name, false) : undefined;
    if (form?.kind !== 'one' || unit === undefined || component === undefined) return reader.nameIn(part.trim(), false);
    const isUnit = resolveName(references, 'units', unit).kind === 'found';
    return isUnit ? { ...component, share: form.value, unit } : undefined;
  };
  const isComponent = (part: string): boolean => componentOf(part) !== undefined;
  const parts = splitJoinedNames(text, list, references, undefined, SEPARATOR, isComponent) ?? [];
  const components = parts.flatMap((part) => componentOf(part) ?? []);
  const shares = components.flatMap(({ share }) => share ?? []);
  if (shares.length === 0) return undefined;
  const unknown = parts.find((part) => !isComponent(part));
  if (unknown !== undefined) return explainPart(reader, text, shareIn(unknown)?.name ?? unknown.trim());
  const [unit, ...otherUnits] = new Set(components.flatMap((component) => component.unit ?? []));
  if (unit === undefined || otherUnits.length > 0) return undefined;
  const isWhole = Math.abs(shares.reduce((sum, share) => sum + share, 0) - 100) <= 1;
  // In a column of polymers, `PVA 8%` is a concentration.
  if (list === 'polymers' && (components.length === 1 || shares.length < components.length || !isWhole))
    return undefined;
  return {
    kind: 'names',
    names: components.map(({ name }) => name),
    details: components.map(({ detail }) => detail),
    shares: { values: components.map(({ share }) => share), unit },
  };
}

/** Separates a name from the share before or behind it. */
function shareIn(part: string): { name: string; number: string; unit: string } | undefined {
  const { name, number, unit } = (SHARE_BEFORE.exec(part.trim()) ?? SHARE_BEHIND.exec(part.trim()))?.groups ?? {};
  return name === undefined || number === undefined || unit === undefined ? undefined : { name, number, unit };
}

/** Returns the error about a part of a cell, with the whole cell in its choices. */
function explainPart({ explain }: NamesReader, text: string, part: string): NamesReading {
  const error = explain(part);
  if (error.kind === 'names' || error.choices === undefined || part === text) return error;
  const { choices } = error;
  return { ...error, choices: choices.map((option) => ({ ...option, reads: text.replace(part, () => option.reads) })) };
}
