/**
 * Applies a function of the service to each line of JSON on standard input: `canonical` JSON of a value, `convert` of
 * [value, from, to], or `csv` of a record: the header, the csv line, and the public JSON, as one JSON array.
 */
import { createInterface } from 'node:readline';
import canonicalize from 'canonicalize';
import { tableOf } from '../../../apps/export-svc/src/files/table.ts';
import { publicRecordJson } from '../../../libs/record/src/catalog/public-record.ts';
import { csvLine } from '../../../libs/record/src/sheet/csv-line.ts';
import { convert } from '../../../libs/record/src/units/units.ts';
import { seedLists } from '../../../libs/record/test/seed-lists.ts';

const { columns: names, rowOf } = tableOf({});
const units = new Map(seedLists.units.map((unit) => [unit.unit, unit]));
const functions = {
  canonical: (value) => canonicalize(value),
  convert: ([value, from, to]) => JSON.stringify(convert(value, units.get(from), units.get(to)) ?? null),
  csv: (record) => {
    const json = publicRecordJson(record.recordId, record);
    const row = rowOf(Buffer.from(json));
    return JSON.stringify([csvLine(names), csvLine(names.map((name) => row[name])), json]);
  },
};
const apply = functions[process.argv[2]];
for await (const line of createInterface({ input: process.stdin })) console.log(apply(JSON.parse(line)));
