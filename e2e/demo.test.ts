import { describe, expect, test } from '@jest/globals';
import { sharedStack } from '@esd/testing/shared-stack';
import { apiAt } from './support/api.ts';
import { expectDemo, readDemo } from './support/demo.ts';
import { page } from './support/shapes.ts';

const demo = readDemo();

describe('the demo dataset', () => {
  test('has 809 experiments from 57 papers', () => {
    expect([demo.records.length, demo.submissions]).toEqual([809, 57]);
  });

  test('contains every record of the file, numbered in its order', async () => {
    await expectDemo(apiAt((await sharedStack()).url));
  });

  test('has pages of any size', async () => {
    const api = apiAt((await sharedStack()).url);
    for (const limit of [13, 100, 809, 1000]) {
      const seen: unknown[] = [];
      for (let skip = 0; skip < 809; skip += limit) {
        seen.push(...page.parse((await api.get(`/public/dataset?skip=${skip}&limit=${limit}`)).json).data);
      }
      expect(seen).toEqual(demo.records);
    }
  });
});
