/**
 * The baseline of an export: writes the rows with exceljs without streaming. Takes a json export and the file to write. Prints its seconds
 * and its memory above idle in MB as JSON.
 */
import { readFileSync } from 'node:fs';
import { parsePublicRecord } from '@esd/record/catalog/public-record';
import { flatten, flattenedColumns } from '@esd/record/flatten/flatten';
import exceljs from 'exceljs';

const [source = '', target = ''] = process.argv.slice(2);
const idle = process.memoryUsage().rss;
const started = performance.now();
const workbook = new exceljs.Workbook();
const sheet = workbook.addWorksheet('Data');
sheet.addRow([...flattenedColumns]);
for (const line of readFileSync(source, 'utf8').split('\n')) {
  if (!line.startsWith('{')) continue;
  const { recordId, data } = parsePublicRecord(line.replace(/,$/, ''));
  const row = flatten(recordId, data);
  sheet.addRow(flattenedColumns.map((column) => row[column]));
}
await workbook.xlsx.writeFile(target);
const megabytes = (process.resourceUsage().maxRSS * 1024 - idle) / 1e6;
console.log(JSON.stringify({ seconds: (performance.now() - started) / 1000, megabytes }));
