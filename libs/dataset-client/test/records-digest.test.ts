import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { recordsDigest } from '../src/records-digest.ts';

function digestOf(...records: readonly string[]): string {
  const digest = recordsDigest();
  for (const record of records) digest.update(Buffer.from(record));
  return digest.digest();
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

test('the example of RFC 8785 §3.2 has the canonical form of the standard', () => {
  const text = String.raw`{
    "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
    "literals": [null, true, false]
  }`;
  const expected = String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`;
  expect(digestOf(text)).toBe(sha256(`${expected}\n`));
});

test.each([
  ['a lone surrogate', '"\\ud800"'],
  ['a lone surrogate in a name', '{"\\udc00":1}'],
])('%s is rejected', (_, text) => {
  expect(() => digestOf(text)).toThrow('surrogate');
});

test('the digest is the hash of the canonical lines', () => {
  const lines = '{"a":1,"recordId":1}\n{"recordId":2}\n';
  expect(digestOf('{"recordId": 1, "a": 1.0}', '{"recordId":2}')).toBe(sha256(lines));
});
