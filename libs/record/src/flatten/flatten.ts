import { recordFields } from '../catalog/catalog.ts';
import type { ExperimentData, Field, Fields } from '../catalog/catalog.ts';
import { sortMembers } from '../catalog/public-record.ts';
import { isObject } from '../validate/is-object.ts';

export type Cell = string | number | boolean | undefined;
/** A record as cells by column; columns without a value are absent. */
export type FlatRow = Readonly<Record<string, Cell>>;

/** The member with the name in component columns; published clients read it. */
const COMPONENT_NAME = 'name';

/**
 * The columns that clients read by position, without unit columns, each of which follows its quantity. Columns of other fields follow in
 * catalog order.
 */
const order = [
  'doi',
  'experiment_id',
  'is_polymer_blend',
  'polymer(s)',
  'polymer_components',
  'is_solvent_blend',
  'solvent(s)',
  'solvent_components',
  'solution_concentration',
  'solution_viscosity',
  'solution_surface_tension',
  'solution_conductivity',
  'solution_evaporation_rate',
  'needle_type',
  'needle_definition',
  'collector_type',
  'collector_definition',
  'voltage',
  'flow_rate',
  'tip_collector_distance',
  'spinning_duration',
  'temperature',
  'humidity',
  'was_formation_stable',
  'process_instability',
  'fiber_diameter',
  'fiber_diameter_variation',
  'morphology',
  'publication_title',
  'is_custom_device',
  'device_manufacturer',
  'device_model',
  'tensile_strength',
  'modulus',
  'elongation_at_break',
  'fracture_behaviour',
  'surface_area',
  'porosity',
  'permeability',
  'solution_ph',
  'product_weight',
  'quality_grade',
  'wettability',
  'electrical_conductivity',
  'thermal_conductivity',
  'fiber_images',
];

export interface ColumnMember {
  /** Absent for a member of the record itself. */
  readonly group: string | undefined;
  readonly member: string;
  readonly kind: Field['kind'] | 'unit';
  /** The field of the member; for a unit, its quantity. */
  readonly field: Field;
  /** The member with the name, for a list of components. */
  readonly nameMember: string | undefined;
}

function columnMembersOf(fields: Fields, group?: string): (readonly [column: string, columnMember: ColumnMember])[] {
  return Object.entries(fields).flatMap(([member, field]) => {
    if (field.kind === 'group') return columnMembersOf(field.fields, member);
    if (field.column === undefined) return [];
    const inner = field.kind === 'list' ? Object.entries(field.fields) : [];
    const nameMember = inner.find(([, { kind }]) => kind === 'name')?.[0];
    const columnMember = [field.column, { group, member, kind: field.kind, field, nameMember }] as const;
    if (field.kind !== 'quantity') return [columnMember];
    const unit = { group, member: `${member}Unit`, kind: 'unit', field, nameMember } as const;
    return [columnMember, [`${field.column}_unit`, unit] as const];
  });
}

const columnMembers: ReadonlyMap<string, ColumnMember> = new Map(columnMembersOf(recordFields));

/** The columns of members in catalog order, without derived columns. */
export const catalogColumns: readonly string[] = [...columnMembers.keys()];

/** Returns the member of a column; undefined for a derived column. */
export function memberOfColumn(column: string): ColumnMember | undefined {
  return columnMembers.get(column);
}

const unitColumns = [...columnMembers].flatMap(([column, { kind }]) => (kind === 'unit' ? [column] : []));

/** The columns that sheets can have, the private ones last. */
export const sheetColumns: readonly string[] = [...new Set([...order, ...catalogColumns])]
  .flatMap((column) => {
    if (unitColumns.includes(column)) return [];
    return columnMembers.get(column)?.kind === 'quantity' ? [column, `${column}_unit`] : [column];
  })
  .sort((a, b) => Number(isPrivate(a)) - Number(isPrivate(b)));

function isPrivate(column: string): boolean {
  return columnMembers.get(column)?.field.isPrivate === true;
}

/** The columns of public records. */
export const flattenedColumns: readonly string[] = sheetColumns.filter((column) => !isPrivate(column));

/** The columns derived from each component column, and the list of its names. */
export const summaries = [
  { list: 'polymers', components: 'polymer_components', isBlend: 'is_polymer_blend', names: 'polymer(s)' },
  { list: 'solvents', components: 'solvent_components', isBlend: 'is_solvent_blend', names: 'solvent(s)' },
] as const;

/** The cell type of each column, in column order; JSON is text. */
export const columnTypes: ReadonlyMap<string, 'integer' | 'number' | 'boolean' | 'text'> = new Map(
  flattenedColumns.map((column) => [column, typeOf(column)]),
);

function typeOf(column: string): 'integer' | 'number' | 'boolean' | 'text' {
  if (column === 'experiment_id') return 'integer';
  if (summaries.some(({ isBlend }) => isBlend === column)) return 'boolean';
  switch (columnMembers.get(column)?.kind) {
    case 'quantity':
    case 'number':
      return 'number';
    case 'boolean':
      return 'boolean';
    default:
      return 'text';
  }
}

/**
 * Flattens a published record, or its read form. Lists, labels and objects become JSON text. In this text, the name of a
 * component is the member `name`. `is_polymer_blend` and `is_solvent_blend` are true for several components; `polymer(s)`
 * and `solvent(s)` join their names with `-`.
 */
export function flatten(recordId: number, data: ExperimentData): FlatRow {
  const row: [string, Cell][] = [];
  for (const column of flattenedColumns) {
    const columnMember = columnMembers.get(column);
    const cell =
      columnMember === undefined
        ? summaryOf(column, recordId, data)
        : cellOf(columnMember, valueAt(data, columnMember));
    if (cell !== undefined) row.push([column, cell]);
  }
  return Object.fromEntries(row);
}

/** Returns the component names or labels in a member of a record, or undefined for an empty member. */
export function namesAt(data: ExperimentData, columnMember: ColumnMember): readonly string[] | undefined {
  const value = valueAt(data, columnMember);
  const member = columnMember.nameMember ?? 'label';
  const words = itemsOf(value, member).map((item) => String(item[member]));
  return words.length === 0 ? undefined : words;
}

/** Returns the value of a member of a record. */
export function valueAt(data: Readonly<Record<string, unknown>>, { group, member }: ColumnMember): unknown {
  const members = group === undefined ? data : data[group];
  return isObject(members) ? members[member] : undefined;
}

function summaryOf(column: string, recordId: number, data: ExperimentData): Cell {
  if (column === 'experiment_id') return recordId;
  const summary = summaries.find(({ isBlend, names }) => column === isBlend || column === names);
  const columnMember = summary && columnMembers.get(summary.components);
  if (summary === undefined || columnMember?.nameMember === undefined) return undefined;
  const { nameMember } = columnMember;
  const names = itemsOf(valueAt(data, columnMember), nameMember).map((component) => String(component[nameMember]));
  if (column === summary.isBlend) return names.length > 1;
  return names.length === 0 ? undefined : names.join('-');
}

/** Returns the components with a name; others are not published. */
function itemsOf(value: unknown, nameMember: string): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isObject).filter((item) => item[nameMember] !== undefined) : [];
}

function renamed(item: Readonly<Record<string, unknown>>, from: string, to: string): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(item).map(([name, value]) => [name === from ? to : name, value]));
}

function cellOf({ nameMember }: ColumnMember, value: unknown): Cell {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (value === undefined) return undefined;
  if (nameMember === undefined) return JSON.stringify(sortMembers(value));
  const items = itemsOf(value, nameMember);
  if (items.length === 0) return undefined;
  return JSON.stringify(items.map((item) => renamed(item, nameMember, COMPONENT_NAME)));
}

const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;

/**
 * Converts a row to an item of `experimentData`; the inverse of `flatten`. Cells may be typed, or texts as in CSV.
 * Does not validate: unreadable cells remain unchanged and unknown columns become members, so that `validateSubmission`
 * reports them. Reads `polymer(s)` and `solvent(s)` only if the component column is empty.
 */
export function unflatten(row: FlatRow): { item: Record<string, unknown>; recordId?: number } {
  const item: [string, unknown][] = [];
  const groups = new Map<string, [string, unknown][]>();
  const put = ({ group, member }: ColumnMember, value: unknown): void => {
    const members = group === undefined ? item : (groups.get(group) ?? []);
    members.push([member, value]);
    if (group !== undefined) groups.set(group, members);
  };
  for (const [column, cell] of Object.entries(row)) {
    if (isEmpty(cell)) continue;
    const columnMember = columnMembers.get(column);
    if (columnMember !== undefined) put(columnMember, valueOfCell(columnMember, cell));
    else if (!flattenedColumns.includes(column)) item.push([column, cell]);
  }
  for (const { components, names } of summaries) {
    const columnMember = columnMembers.get(components);
    const joined = row[names];
    if (columnMember?.nameMember === undefined || !isEmpty(row[components]) || isEmpty(joined)) continue;
    const { nameMember } = columnMember;
    put(
      columnMember,
      String(joined)
        .split('-')
        .map((name) => ({ [nameMember]: name })),
    );
  }
  const recordId = numberOf(row['experiment_id']);
  return {
    item: Object.fromEntries([
      ...item,
      ...[...groups].map(([group, members]) => [group, Object.fromEntries(members)] as const),
    ]),
    ...(typeof recordId === 'number' ? { recordId } : {}),
  };
}

function isEmpty(cell: Cell): boolean {
  return cell === undefined || (typeof cell === 'string' && cell.trim() === '');
}

function valueOfCell({ kind, nameMember }: ColumnMember, cell: Cell): unknown {
  switch (kind) {
    case 'number':
    case 'quantity':
      return numberOf(cell);
    case 'boolean': {
      const word = String(cell).trim().toLowerCase();
      return word === 'true' || word === 'false' ? word === 'true' : cell;
    }
    case 'labels':
    case 'object':
    case 'list': {
      const value = jsonOf(cell);
      if (nameMember === undefined || !Array.isArray(value)) return value;
      return value.map((one: unknown) => (isObject(one) ? renamed(one, COMPONENT_NAME, nameMember) : one));
    }
    default:
      return String(cell);
  }
}

function numberOf(cell: Cell): Cell {
  return typeof cell === 'string' && DECIMAL.test(cell.trim()) ? Number(cell.trim()) : cell;
}

function jsonOf(cell: Cell): unknown {
  if (typeof cell !== 'string') return cell;
  try {
    return JSON.parse(cell);
  } catch {
    return cell;
  }
}
