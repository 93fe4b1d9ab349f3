import { type References, resolveName } from '../reference/reference.ts';
import { numberForm, scanNumber } from './number-text.ts';
import {
  type NamesReading,
  type ReadNames,
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

interface Component {
  readonly name: string;
  readonly share?: number;
  readonly unit?: string;
}

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
  read: ReadNames,
  isOnlyCell: boolean,
): ComponentsReading {
  const plain = read(text);
  if (plain.kind === 'names' || plain.code === 'AMBIGUOUS_NAME') return plain;
  const split = sharesBefore(text) ?? splitShares(text);
  const shared = split.shares && firstNames(read(split.names), () => read(split.names, true));
  if (shared?.kind === 'names' && (!isOnlyCell || shared.names.length === split.shares?.values.length))
    return { ...shared, ...(split.shares && { shares: split.shares }) };
  const detailed = read(text, true);
  if (detailed.kind === 'names') return detailed;
  const each = shareAtEach(text, list, references, read);
  if (each?.kind === 'names') return each;
  if (split.shares === undefined || shared === undefined) return each ?? plain;
  return shared.kind === 'names' ? { ...shared, shares: split.shares } : inText(shared, text, split.names);
}

function firstNames(reading: NamesReading, other: () => NamesReading): NamesReading {
  if (reading.kind === 'names' || reading.code === 'AMBIGUOUS_NAME') return reading;
  const second = other();
  return second.kind === 'names' ? second : reading;
}

function sharesBefore(text: string): { names: string; shares: Shares } | undefined {
  const { shares: written = '', names = '' } = SHARES_BEFORE.exec(text.trim())?.groups ?? {};
  const unit = RATIO_UNIT.exec(names);
  const shares = readShares(written + (unit?.[0] ?? ''));
  return shares && { names: unit === null ? names : names.slice(0, unit.index), shares };
}

/** Reads names of which at least one has a share of its own. */
function shareAtEach(
  text: string,
  list: 'polymers' | 'solvents',
  references: References,
  read: ReadNames,
): ComponentsReading | undefined {
  const nameIn = (part: string): string | undefined => {
    const reading = read(part.trim(), true);
    return reading.kind === 'names' && reading.names.length === 1 ? reading.names[0] : undefined;
  };
  const componentOf = (part: string): Component | undefined => {
    for (const pattern of [SHARE_BEFORE, SHARE_BEHIND]) {
      const { name: written = '', number = '', unit = '' } = pattern.exec(part.trim())?.groups ?? {};
      const token = scanNumber(number, 0);
      const form = token?.end === number.length ? numberForm(token.raw) : undefined;
      const isUnit = resolveName(references, 'units', unit).kind === 'found';
      const name = form?.kind === 'one' && isUnit ? nameIn(written) : undefined;
      if (form?.kind === 'one' && name !== undefined) return { name, share: form.value, unit };
    }
    const name = nameIn(part);
    return name === undefined ? undefined : { name };
  };
  const isComponent = (part: string): boolean => componentOf(part) !== undefined;
  const parts = splitJoinedNames(text, list, references, undefined, SEPARATOR, isComponent) ?? [];
  const components = parts.flatMap((part) => componentOf(part) ?? []);
  const unknown = parts.find((part) => !isComponent(part));
  if (unknown !== undefined && components.some(({ share }) => share !== undefined)) {
    const { name = unknown } = (SHARE_BEFORE.exec(unknown.trim()) ?? SHARE_BEHIND.exec(unknown.trim()))?.groups ?? {};
    const reading = read(name.trim());
    return reading.kind === 'error' ? inText(reading, text, name.trim()) : undefined;
  }
  const shares = components.flatMap(({ share }) => share ?? []);
  const [unit, ...others] = new Set(components.flatMap((component) => component.unit ?? []));
  const isWhole = Math.abs(shares.reduce((sum, share) => sum + share, 0) - 100) <= 1;
  // In a column of polymers, `PVA 8%` is a concentration.
  const isShare = list === 'solvents' || (shares.length === components.length && components.length > 1 && isWhole);
  if (unknown !== undefined || unit === undefined || others.length > 0 || !isShare) return undefined;
  return {
    kind: 'names',
    names: components.map(({ name }) => name),
    details: [],
    shares: { values: components.map(({ share }) => share), unit },
  };
}

/** Returns the error about a part of a cell, with the whole cell in its choices. */
function inText(error: Exclude<NamesReading, { kind: 'names' }>, text: string, part: string): NamesReading {
  const { choices = [] } = error;
  return { ...error, choices: choices.map((option) => ({ ...option, reads: text.replace(part, () => option.reads) })) };
}
