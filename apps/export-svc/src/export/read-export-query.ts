import type { Filter } from '@esd/record/filter';
import { parseFilter } from '@esd/record/parse-filter';
import { ServiceError } from '@esd/service/errors';
import { type ExportFormat, isExportFormat } from './formats.ts';

/** Which state is exported: the newest, a frozen version by its name or id, or that of a personal snapshot. */
export type StateQuestion =
  | { kind: 'latest' }
  | { kind: 'version'; by: { $case: 'name'; value: string } | { $case: 'id'; value: number } }
  | { kind: 'snapshot'; id: number; revision: number; name: string; createdAt: Date };

export interface ExportQuestion {
  format: ExportFormat;
  state: StateQuestion;
  filter: Filter;
  /** The filter as JSON text, when there is one that is not empty. */
  filterJson: string | undefined;
  /** Whether a whole download is counted. */
  counted: boolean;
}

const DEFAULT_FORMAT = 'xlsx';

/**
 * Reads the query of an export: `format`, `filter`, and one of `version` (identifier or DOI; `latest`), `versionId`, and
 * `revision` with `id`, `name` and `createdAt` of a personal snapshot; `count=false`. Throws INVALID_PARAMETER,
 * INVALID_FILTER.
 */
export function readExportQuery(query: URLSearchParams): ExportQuestion {
  const format = query.get('format') ?? DEFAULT_FORMAT;
  if (!isExportFormat(format)) {
    throw new ServiceError('INVALID_PARAMETER', `format=${format}: must be xlsx, json, csv, zip or parquet.`);
  }
  const text = query.get('filter') ?? undefined;
  const parsed = text === undefined ? { filter: [] } : parseFilter(text);
  if ('problem' in parsed) throw new ServiceError('INVALID_FILTER', parsed.problem.message);
  const { filter } = parsed;
  return {
    format,
    state: readState(query),
    filter,
    filterJson: filter.length === 0 ? undefined : text,
    counted: query.get('count') !== 'false',
  };
}

function readState(query: URLSearchParams): StateQuestion {
  const version = query.get('version') ?? 'latest';
  if (version !== 'latest') return { kind: 'version', by: { $case: 'name', value: version } };
  const id = query.get('versionId');
  if (id !== null) return { kind: 'version', by: { $case: 'id', value: wholeNumber('versionId', id) } };
  const revision = query.get('revision');
  if (revision === null) return { kind: 'latest' };
  const createdAt = new Date(query.get('createdAt') ?? '');
  if (Number.isNaN(createdAt.getTime())) throw new ServiceError('INVALID_PARAMETER', 'createdAt must be a date.');
  return {
    kind: 'snapshot',
    id: wholeNumber('id', query.get('id') ?? ''),
    revision: wholeNumber('revision', revision),
    name: query.get('name') ?? '',
    createdAt,
  };
}

function wholeNumber(name: string, text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text);
  throw new ServiceError('INVALID_PARAMETER', `${name}=${text}: must be a whole number.`);
}
