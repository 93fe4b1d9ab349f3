/** What the service itself makes of lines of JSON: `canonical` JSON of each, or `convert` of [value, from, to]. */
import { createInterface } from 'node:readline';
import canonicalize from 'canonicalize';
import { convert } from '../../../libs/record/src/units/units.ts';
import { seedLists } from '../../../libs/record/test/seed-lists.ts';

const units = new Map(seedLists.units.map((unit) => [unit.unit, unit]));
const functions = {
  canonical: (value) => canonicalize(value),
  convert: ([value, from, to]) => JSON.stringify(convert(value, units.get(from), units.get(to)) ?? null),
};
const apply = functions[process.argv[2]];
for await (const line of createInterface({ input: process.stdin })) console.log(apply(JSON.parse(line)));
