import { deflateRawSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { packRowIds, unpackRowIds } from '../../src/dataset-log/row-list.ts';

const MAX_ROW_ID = 2 ** 31 - 1;

test('any row ids are unpacked in their order', async () => {
  const rowIds = fc.array(fc.oneof(fc.nat(MAX_ROW_ID), fc.nat(300), fc.constantFrom(0, MAX_ROW_ID)), {
    maxLength: 300,
  });
  await fc.assert(
    fc.asyncProperty(rowIds, async (ids) => {
      expect([...(await unpackRowIds(await packRowIds(Int32Array.from(ids))))]).toEqual(ids);
    }),
  );
});

test('a million consecutive rows take a few kilobytes, and every other row about as much as a bitmap', async () => {
  const all = Int32Array.from({ length: 1_000_000 }, (_, index) => index + 1);
  // A fixed generator: Park and Miller, "minimal standard".
  let seed = 1;
  const half = all.filter(() => (seed = (seed * 48_271) % 2_147_483_647) % 2 === 0);
  const [packedAll, packedHalf] = [await packRowIds(all), await packRowIds(half)];
  expect(packedAll.length).toBeLessThan(10_000);
  expect(packedHalf.length).toBeLessThan(1.3 * (1_000_000 / 8));
  expect(await unpackRowIds(packedHalf)).toEqual(half);
});

test('a damaged list throws an error', async () => {
  await expect(unpackRowIds(deflateRawSync(Buffer.from([2, 2])))).rejects.toThrow('is truncated');
  await expect(unpackRowIds(deflateRawSync(Buffer.from([1, 2, 2])))).rejects.toThrow('has trailing bytes');
  await expect(unpackRowIds(Buffer.from([0xff]))).rejects.toThrow();
});
