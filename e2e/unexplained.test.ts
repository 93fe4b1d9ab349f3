import { describe, expect, test } from '@jest/globals';
import { sharedStack } from '@esd/testing/shared-stack';
import { z } from 'zod';
import { apiAt } from './support/api.ts';

const { url } = await sharedStack();
const api = apiAt(url);

const published = z.looseObject({
  unexplained: z.strictObject({ records: z.array(z.int()), low: z.number(), high: z.number() }).nullable(),
});
const textOf = async (path: string): Promise<string> => {
  const html = await (await fetch(url + path, { headers: { accept: 'text/html' } })).text();
  return html.replace(/<[^>]*>/g, '').replace(/\s+/g, ' ');
};

// The tests of dataset-svc compare all records with an independent computation. These values are those of the demo.
describe('records with the same settings and other fiber diameters', () => {
  test.each(['/public/dataset/records/541', '/public/dataset/v1.0.0/records/541'])('%s names them', async (path) => {
    const { unexplained } = published.parse((await api.get(path)).json);
    expect(unexplained).toEqual({ records: [549, 557], low: 96.5, high: 504 });
  });

  test('a record without them has null', async () => {
    expect(published.parse((await api.get('/public/dataset/records/207')).json).unexplained).toBeNull();
  });

  test('the page of a record says what may explain them', async () => {
    expect(await textOf('/record/541')).toContain(
      'Records 541, 549 and 557 report the same settings and 96.5–504 nm. Something that is not recorded differed, or the values scatter or contain an error.',
    );
    expect(await textOf('/record/207')).not.toContain('report the same settings');
    expect(await textOf('/record/602')).toMatch(
      /\d+ of 20 experiments share all settings with another one of their paper/,
    );
  });

  test('/explore says so if they are a third of the experiments', async () => {
    const { researchMetadata } = z
      .object({ data: z.object({ researchMetadata: z.object({ doi: z.string() }) }) })
      .parse((await api.get('/public/dataset/records/541')).json).data;
    const sentence = /(\d+) of (\d+) experiments share all settings with another one of their paper/;
    const [, count, total] =
      sentence.exec(await textOf(`/explore?doi=${encodeURIComponent(`=${researchMetadata.doi}`)}`)) ?? [];
    expect(3 * Number(count)).toBeGreaterThanOrEqual(Number(total));
    expect(await textOf('/explore?polymer=%3DPAN')).not.toMatch(sentence);
  });
});
