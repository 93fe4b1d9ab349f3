import { getSubmissionTable, listSubmissions } from '@esd/api/moderation';
import type { ResponseOf } from '@esd/api/operation';
import { withSeverity } from '@esd/api/record-warning';
import { kindToWire } from '@esd/dataset-client/queue-kinds';
import { statusFromWire, statusToWire } from '@esd/dataset-client/record-status';
import type { GetSubmissionTableResponse, SubmissionEntry, TableRow } from '@esd/proto/esd/submission/v1/submission';
import { matchesEntityTag, parseEntityTags, textTag } from '@esd/service/http/entity-tag';
import { pageLinks } from '../../http/page-links.ts';
import type { Route } from '../../http/route.ts';
import { serve } from '../../http/serve.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { countsOf } from './queue.ts';
import { MODERATION } from './target.ts';

type Entry = ResponseOf<typeof listSubmissions>['data'][number];
type Table = ResponseOf<typeof getSubmissionTable>;

export function moderationSubmissionRoutes({ moderation }: Pick<Upstream, 'moderation'>): Route[] {
  return [
    serve(listSubmissions, {
      targets: MODERATION,
      handle: async ({ query: { status, kind, skip, limit }, call, request }, response) => {
        const wanted = { status: statusToWire(status), kind: kindToWire(kind), skip, limit };
        const { entries, total, counts } = await moderation.listSubmissions(wanted, call);
        response
          .set({ 'Cache-Control': 'no-store', Link: pageLinks(request, { skip, limit, total }) })
          .json({ data: entries.map(entryOf), total, skip, limit, counts: countsOf(counts) });
      },
    }),
    serve(getSubmissionTable, {
      targets: MODERATION,
      handle: async ({ parameters: { submissionId }, call, request }, response) => {
        const found = tableOf(await moderation.getSubmissionTable({ submissionId }, call));
        const tag = textTag(JSON.stringify(found));
        response.set({ ETag: `"${tag}"`, 'Cache-Control': 'no-store' });
        if (matchesEntityTag(parseEntityTags(request.headers['if-none-match']), tag)) response.status(304).end();
        else response.json(found);
      },
    }),
  ];
}

function entryOf({ pending, approved, rejected, needsUpdate, ...found }: SubmissionEntry): Entry {
  const { submittedAt, waitingSince, ...rest } = found;
  if (!submittedAt || !waitingSince) throw new Error(`submission ${rest.submissionId} has no times`);
  return {
    ...rest,
    submittedAt: submittedAt.toISOString(),
    waitingSince: waitingSince.toISOString(),
    records: { PENDING: pending, APPROVED: approved, REJECTED: rejected, NEEDS_UPDATE: needsUpdate },
  };
}

function tableOf({ submittedAt, columns, rows, ...found }: GetSubmissionTableResponse): Table {
  if (!submittedAt) throw new Error(`submission ${found.submissionId} has no time`);
  return {
    ...found,
    submittedAt: submittedAt.toISOString(),
    total: rows.length,
    columns: columns.map(({ unit = null, value = null, ...rest }) => ({ ...rest, unit, value })),
    rows: rows.map(rowOf),
  };
}

function rowOf({ status, warnings, ...found }: TableRow): Table['rows'][number] {
  const name = statusFromWire(status);
  if (!name) throw new Error(`record ${found.recordId} has no status`);
  return {
    ...found,
    status: name,
    warnings: warnings.map(({ column: at = null, ...rest }) => withSeverity({ ...rest, column: at })),
  };
}
