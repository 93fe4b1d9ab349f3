import { expect, test } from '@jest/globals';
import { meaningOf } from '../src/workbook-import/number-formats.ts';

test.each<[id: number, code: string | undefined, meaning: string]>([
  [0, undefined, 'number'],
  [2, undefined, 'number'],
  [9, undefined, 'percent'],
  [10, undefined, 'percent'],
  [14, undefined, 'date'],
  [22, undefined, 'date'],
  [46, undefined, 'date'],
  [49, undefined, 'number'],
  [164, 'General', 'number'],
  [164, '#,##0.00', 'number'],
  [164, '0.00E+00', 'number'],
  [164, '0.0 "days"', 'number'],
  [164, '0\\m', 'number'],
  [164, '[Red]0.0;[Blue]-0.0', 'number'],
  [164, '[$-409]d/m/yy', 'date'],
  [164, 'yyyy-mm-dd', 'date'],
  [164, '[h]:mm', 'date'],
  [164, '[ss].00', 'date'],
  [164, '0.0 %', 'percent'],
  [164, '0.0"%"', 'number'],
])('numbers of format %p %p are of the meaning %p', (id, code, meaning) => {
  expect(meaningOf(id, code)).toBe(meaning);
});
