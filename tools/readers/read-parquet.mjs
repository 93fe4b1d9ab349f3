/** `read-parquet.mjs URL COLUMN LIST NAME`: prints the median of a column over rows whose list contains NAME, read with hyparquet. */
import { asyncBufferFromUrl, parquetReadObjects } from 'hyparquet';

const [url = '', column = '', list = '', name = ''] = process.argv.slice(2);
const file = await asyncBufferFromUrl({ url });
const rows = await parquetReadObjects({ file, columns: [column, list] });
const values = rows
  .filter((row) => row[column] !== null && row[column] !== undefined && row[list]?.includes(name))
  .map((row) => row[column])
  .sort((one, other) => one - other);
const middle = Math.floor(values.length / 2);
console.log(values.length % 2 === 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2);
