import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { integerText } from '@esd/api/number-text';
import { readQuery } from '../../src/http/query.ts';

const schema = z.object({
  skip: integerText(0, Number.MAX_SAFE_INTEGER).default(0),
  limit: integerText(1, 1000).default(100),
  filter: z.string().optional(),
});
const read = (url: string) => readQuery(url, schema);

describe('readQuery', () => {
  test.each([
    ['/', { skip: 0, limit: 100 }],
    ['/?', { skip: 0, limit: 100 }],
    ['/?skip=7&limit=1000', { skip: 7, limit: 1000 }],
    ['/?&limit=1&', { skip: 0, limit: 1 }],
    ['/?skip=9007199254740991', { skip: Number.MAX_SAFE_INTEGER, limit: 100 }],
    ['/?filter=%7B%22a%22%3A1%7D+%2B', { skip: 0, limit: 100, filter: '{"a":1} +' }],
    ['/?filter', { skip: 0, limit: 100, filter: '' }],
    ['/?filter=a=b?c', { skip: 0, limit: 100, filter: 'a=b?c' }],
    ['/?%6Cimit=5', { skip: 0, limit: 5 }],
  ])('reads %s', (url, expected) => {
    expect(read(url)).toEqual(expected);
  });

  test.each([
    ['/?limit=0', /^`limit` must be an integer from 1 to 1000, got "0"\.$/],
    ['/?limit=1001', /"1001"/],
    ['/?limit=', /got ""/],
    ['/?limit=1.0', /"1\.0"/],
    ['/?limit=1e2', /"1e2"/],
    ['/?limit=%2B5', /"\+5"/],
    ['/?limit=-1', /"-1"/],
    ['/?limit=+5', /" 5"/],
    ['/?limit=٣', /"٣"/],
    ['/?skip=9007199254740993', /`skip`.*"9007199254740993"/],
    ['/?skip=99999999999999999999', /`skip`.*"9/],
    ['/?limt=5', /"limt"; nearest: "limit"\./],
    ['/?Limit=5', /"Limit"; nearest: "limit"\./],
    ['/?colour=red', /"colour"; known: "skip", "limit", "filter"\./],
    ['/?__proto__=1', /"__proto__"/],
    ['/?limit[]=1', /"limit\[\]"/],
    ['/?limit=5&limit=5', /`limit` appears more than once/],
    ['/?filter=%zz', /percent-encoded/],
    ['/?filter=%ff', /percent-encoded/],
  ])('rejects %s', (url, message) => {
    expect(() => read(url)).toThrow(expect.objectContaining({ code: 'INVALID_PARAMETER' }));
    expect(() => read(url)).toThrow(message);
  });

  test('names a missing parameter, and reports a path without parameters', () => {
    expect(() => readQuery('/', z.object({ cas: z.string() }))).toThrow(/`cas` is required/);
    expect(() => readQuery('/?a=1', z.object({}))).toThrow(/takes no query parameters/);
  });

  test('shortens a long value in the message', () => {
    expect(() => read(`/?limit=${'9'.repeat(5_000)}`)).toThrow(
      expect.objectContaining({ message: expect.stringMatching(/^.{1,200}$/) }),
    );
  });
});
