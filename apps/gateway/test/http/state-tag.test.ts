import { expect, test } from '@jest/globals';
import { parseEntityTags } from '@esd/service/http/entity-tag';
import { stateTag, taggedState } from '../../src/http/state-tag.ts';

const state = { datasetId: 'one', revision: 7 };
const stateIn = (header: string, part?: string) => taggedState(parseEntityTags(header), part);

test('a tag of a dataset revision names its state; with a part, only a tag of that part', () => {
  const header = `"foreign", W/"${stateTag(state, '0.100')}"`;
  expect([stateIn(header), stateIn(header, '0.100'), stateIn(header, '0.20')]).toEqual([state, state, undefined]);
});

test.each(['*', '"foreign"', '"a.b.c.d"', '"one.7"'])('%s names no state', (header) => {
  expect(stateIn(header)).toBeUndefined();
});
