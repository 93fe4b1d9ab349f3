import { LATEST } from '@esd/api/release-name';
import type { ServerResponse } from 'node:http';
import type { z } from 'zod';
import { DATASET_REVISION } from '@esd/api/dataset-headers';
import { matchesEntityTag, parseEntityTags, textTag } from '@esd/service/http/entity-tag';
import type { recordPath } from '@esd/api/dataset';
import { getRecord, getReleaseRecord } from '@esd/api/dataset';
import type { KnownRelease, Releases } from '../../dataset/releases.ts';
import type { Input, Route } from '../../http/route.ts';
import { JSON_TYPE } from '../../http/send-json.ts';
import { countCached } from '../../cache/page-cache.ts';
import type { RecordReads } from '../../reads/record-reads.ts';
import { serve } from '../../http/serve.ts';

type RecordInput = Input<unknown, z.output<typeof recordPath>, unknown>;

export function publicRecordRoutes(records: RecordReads, releases: Releases): Route[] {
  const read = async (
    { parameters: { recordId }, request, call }: RecordInput,
    response: ServerResponse,
    release?: KnownRelease,
  ): Promise<void> => {
    const { state, body, isCached } = await records.find(recordId, release, call);
    // The tag hashes the body: a freeze changes `versions`, but not the dataset state.
    const tag = textTag(body);
    response.setHeader('ETag', `"${tag}"`);
    response.setHeader('Cache-Control', 'no-cache');
    response.setHeader(DATASET_REVISION, state.revision);
    const isNotModified = matchesEntityTag(parseEntityTags(request.headers['if-none-match']), tag);
    countCached('page', isNotModified ? 'not_modified' : isCached ? 'hit' : 'miss');
    if (isNotModified) {
      response.statusCode = 304;
      response.end();
      return;
    }
    response.setHeader('Content-Type', JSON_TYPE);
    response.setHeader('Content-Length', body.length);
    response.end(body);
  };
  return [
    serve(getRecord, {
      handle: (input, response) => read(input, response),
    }),
    serve(getReleaseRecord, {
      handle: async (input, response) => {
        const { version: name } = input.parameters;
        await read(input, response, name === LATEST ? undefined : await releases.find(name, input.call));
      },
    }),
  ];
}
