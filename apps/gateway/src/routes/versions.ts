import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { z } from 'zod';
import { type DiffStatesResponse, RecordDifference_Kind, type Version } from '@esd/proto/esd/dataset/v1/versions';
import { matchesEntityTag, parseEntityTags, textTag } from '@esd/service/entity-tag';
import type { DatasetStates } from '../dataset-states.ts';
import { IMMUTABLE, type FrozenVersions } from '../frozen-versions.ts';
import { type Call, route, type Route } from '../route.ts';
import { type State, stateTag } from '../state-tag.ts';
import type { Upstream } from '../upstream.ts';
import { versionFile } from '../version-file.ts';

/** The frozen versions as they are listed. */
export const versionList = z.array(
  z.strictObject({
    id: z.int(),
    versionIdentifier: z.string(),
    recordCount: z.int(),
    createdAt: z.iso.datetime(),
    doi: z.string().nullable(),
    license: z.string().nullable(),
    description: z.string().optional(),
    digest: z.string().meta({ description: 'SHA-256 over the canonical JSON (RFC 8785) of the records.' }),
    files: z.array(versionFile).meta({ description: 'The stored files.' }),
  }),
);
const difference = z.strictObject({
  from: z.string(),
  to: z.string(),
  added: z.array(z.int()).meta({ description: 'Record ids.' }),
  removed: z.array(z.int()).meta({ description: 'Record ids.' }),
  changed: z.array(
    z.strictObject({
      recordId: z.int(),
      fields: z.array(z.string()).meta({ description: 'Paths of the fields that differ.' }),
    }),
  ),
});

const sideText = z
  .string()
  .meta({ description: 'A version identifier, a DOI with its slash percent-encoded, or `latest`.' });

const LATEST = 'latest';

/** Frozen versions of the dataset, and what changed between them. */
export function versionRoutes(
  states: DatasetStates,
  frozen: FrozenVersions,
  { versions }: Pick<Upstream, 'versions'>,
): Route[] {
  const find = async (name: string, call: Call): Promise<{ name: string; state: State }> => {
    if (name === LATEST) return { name, state: await states.current(call) };
    const { identifier, state } = await frozen.find(name, call);
    return { name: identifier, state };
  };
  return [
    route({
      method: 'get',
      path: '/public/dataset/versions',
      caller: 'ignored',
      describe: {
        tag: 'Dataset',
        summary: 'Frozen versions of the dataset',
        details: 'What a version holds never changes; how its digest is computed stands in docs/versions.md.',
        returns: 'The versions, the newest first.',
        revalidates: true,
      },
      answer: versionList,
      handle: async ({ request, call }, response) => {
        const list = (await versions.listVersions({}, call)).versions.map(listed);
        const tag = textTag(JSON.stringify(list));
        response.set({ ETag: `"${tag}"`, 'Cache-Control': 'no-cache' });
        if (matchesEntityTag(parseEntityTags(request.headers['if-none-match']), tag)) response.status(304).end();
        else response.json(list);
      },
    }),
    route({
      method: 'get',
      path: '/public/dataset/versions/:from/diff/:to',
      caller: 'ignored',
      describe: {
        tag: 'Dataset',
        summary: 'What changed from one version to another',
        details: 'A record that was published again as it was has not changed.',
        returns: 'The records that were added, removed and changed, each by ascending id.',
        revalidates: true,
        errors: ['VERSION_NOT_FOUND'],
        example: { parameters: { from: 'v1.0.0', to: LATEST } },
      },
      parameters: z.object({ from: sideText, to: sideText }),
      answer: difference,
      handle: async ({ parameters, request, call }, response) => {
        const [from, to] = await Promise.all([find(parameters.from, call), find(parameters.to, call)]);
        const tag = stateTag(to.state, `${from.state.revision}.${from.name}.${to.name}`);
        const isFrozen = from.name !== LATEST && to.name !== LATEST;
        response.set({ ETag: `"${tag}"`, 'Cache-Control': isFrozen ? IMMUTABLE : 'no-cache' });
        if (matchesEntityTag(parseEntityTags(request.headers['if-none-match']), tag)) {
          response.status(304).end();
          return;
        }
        const parts = versions
          .diffStates({ fromRevision: from.state.revision, toRevision: to.state.revision }, call)
          [Symbol.asyncIterator]();
        // What fails before the first part has its error body.
        const first = await parts.next();
        response.type('json');
        await pipeline(Readable.from(diffJson(from.name, to.name, first, parts), { objectMode: false }), response);
      },
    }),
  ];
}

/** A frozen version as it is listed. */
export function listed(version: Version): z.output<typeof versionList>[number] {
  const { id, identifier, state, createdAt, doi, license, description, digest, files } = version;
  if (!state || !createdAt || digest === undefined) throw new Error(`the version ${identifier} is not whole`);
  return {
    id,
    versionIdentifier: identifier,
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

/** The differences as they come, which is list after list, as one JSON object in parts. */
async function* diffJson(
  from: string,
  to: string,
  first: IteratorResult<DiffStatesResponse>,
  parts: AsyncIterator<DiffStatesResponse>,
): AsyncGenerator<Buffer> {
  try {
    let open = 0;
    let isFirst = true;
    yield Buffer.from(`{"from":${JSON.stringify(from)},"to":${JSON.stringify(to)},"added":[`);
    for (let part = first; part.done !== true; part = await parts.next()) {
      let text = '';
      for (const { recordId, kind, fields } of part.value.differences) {
        while (LISTS[open]?.[1] !== kind) {
          open += 1;
          const list = LISTS[open];
          if (!list) throw new Error('differences that do not come list after list');
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
    await parts.return?.();
  }
}
