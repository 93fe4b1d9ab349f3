import { LATEST } from '@esd/api/release-name';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { z } from 'zod';
import type { DatasetRevision } from '@esd/dataset-client/dataset-state';
import { type DiffStatesResponse, RecordDifference_Kind, type Release } from '@esd/proto/esd/dataset/v1/releases';
import { matchesEntityTag, parseEntityTags } from '@esd/service/http/entity-tag';
import type { release } from '@esd/api/releases';
import { getReleaseDifferences, listReleases } from '@esd/api/releases';
import type { DatasetStates } from '../../dataset/dataset-states.ts';
import { IMMUTABLE } from '../../dataset/named-state.ts';
import type { Releases } from '../../dataset/releases.ts';
import type { Call } from '../../http/call.ts';
import type { Route } from '../../http/route.ts';
import { JSON_TYPE } from '../../http/send-json.ts';
import { sendRevalidated } from '../../http/send-revalidated.ts';
import { stateTag } from '../../http/state-tag.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { serve } from '../../http/serve.ts';

export function releaseRoutes(
  states: DatasetStates,
  releaseList: Releases,
  { releases }: Pick<Upstream, 'releases'>,
): Route[] {
  const find = async (name: string, call: Call): Promise<{ name: string; state: DatasetRevision }> => {
    if (name === LATEST) return { name, state: await states.current(call) };
    const { identifier, state } = await releaseList.find(name, call);
    return { name: identifier, state };
  };
  return [
    serve(listReleases, {
      handle: async ({ request, call }, response) => {
        const requestedAt = performance.now();
        const { releases: known } = await releases.listReleases({}, call);
        releaseList.observe(known, requestedAt);
        const list = known.map(listed);
        sendRevalidated({ mediaType: JSON_TYPE, text: JSON.stringify(list) }, request, response);
      },
    }),
    serve(getReleaseDifferences, {
      handle: async ({ parameters, request, call }, response) => {
        const [from, to] = await Promise.all([find(parameters.from, call), find(parameters.to, call)]);
        const tag = stateTag(to.state, `${from.state.revision}.${from.name}.${to.name}`);
        // A DOI can move to another release.
        const isFrozen = [parameters.from, parameters.to].every(
          (side) => side !== LATEST && [from.name, to.name].includes(side),
        );
        response.set({ ETag: `"${tag}"`, 'Cache-Control': isFrozen ? IMMUTABLE : 'no-cache' });
        if (matchesEntityTag(parseEntityTags(request.headers['if-none-match']), tag)) {
          response.status(304).end();
          return;
        }
        const chunks = releases
          .diffStates({ fromRevision: from.state.revision, toRevision: to.state.revision }, call)
          [Symbol.asyncIterator]();
        // A failure before the first chunk can still be sent as an error body.
        const first = await chunks.next();
        response.type('json');
        await pipeline(Readable.from(diffJson(from.name, to.name, first, chunks), { objectMode: false }), response);
      },
    }),
  ];
}

/** Converts a message to an entry of the release list. */
export function listed(message: Release): z.output<typeof release> {
  const { id, identifier, state, createdAt, doi, license, description, digest, files } = message;
  if (!state || !createdAt || digest === undefined) throw new Error(`release ${identifier} is incomplete`);
  return {
    id,
    versionIdentifier: identifier,
    datasetRevision: state.revision,
    recordCount: state.recordCount,
    createdAt: createdAt.toISOString(),
    doi: doi ?? null,
    license: license ?? null,
    ...(description === undefined ? {} : { description }),
    digest,
    files,
  };
}

const LISTS = [
  ['added', RecordDifference_Kind.KIND_ADDED],
  ['removed', RecordDifference_Kind.KIND_REMOVED],
  ['changed', RecordDifference_Kind.KIND_CHANGED],
] as const;

/** Yields the chunks of one JSON object. The differences must arrive grouped by kind. */
async function* diffJson(
  from: string,
  to: string,
  first: IteratorResult<DiffStatesResponse>,
  chunks: AsyncIterator<DiffStatesResponse>,
): AsyncGenerator<Buffer> {
  try {
    let open = 0;
    let isFirst = true;
    yield Buffer.from(`{"from":${JSON.stringify(from)},"to":${JSON.stringify(to)},"added":[`);
    for (let chunk = first; chunk.done !== true; chunk = await chunks.next()) {
      let text = '';
      for (const { recordId, kind, fields } of chunk.value.differences) {
        while (LISTS[open]?.[1] !== kind) {
          open += 1;
          const list = LISTS[open];
          if (!list) throw new Error('the differences are not grouped by kind');
          text += `],"${list[0]}":[`;
          isFirst = true;
        }
        const item = kind === RecordDifference_Kind.KIND_CHANGED ? { recordId, fields } : recordId;
        text += `${isFirst ? '' : ','}${JSON.stringify(item)}`;
        isFirst = false;
      }
      yield Buffer.from(text);
    }
    const rest = LISTS.slice(open + 1).map(([name]) => `],"${name}":[`);
    yield Buffer.from(`${rest.join('')}]}`);
  } finally {
    await chunks.return?.();
  }
}
