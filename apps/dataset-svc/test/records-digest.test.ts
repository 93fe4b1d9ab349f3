import canonicalize from 'canonicalize';
import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { canonicalJson, recordsDigest } from '@esd/service/records-digest';

test('the example of RFC 8785 §3.2', () => {
  const text = String.raw`{
    "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
    "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
    "literals": [null, true, false]
  }`;
  const expected = String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`;
  expect(canonicalJson(JSON.parse(text))).toBe(expected);
});

test('any JSON has the same text as another implementation gives it', () => {
  fc.assert(
    fc.property(fc.json({ stringUnit: 'binary' }), (text) => {
      const value: unknown = JSON.parse(text);
      expect(canonicalJson(value)).toBe(canonicalize(value));
    }),
  );
});

test.each([
  ['a lone surrogate', '"\\ud800"'],
  ['one in a name', '{"\\udc00":1}'],
])('%s is refused', (_, text) => {
  expect(() => canonicalJson(JSON.parse(text))).toThrow('Unicode');
});

test('the digest is that of the lines', () => {
  const digest = recordsDigest();
  digest.update(Buffer.from('{"recordId": 1, "a": 1.0}'));
  digest.update(Buffer.from('{"recordId":2}'));
  const lines = '{"a":1,"recordId":1}\n{"recordId":2}\n';
  expect(digest.digest()).toBe(createHash('sha256').update(lines).digest('hex'));
});
