import { NO_VALUE } from '../read-index/coded-column.ts';
import { type Columns, STABILITY } from '../read-index/columns.ts';

/** Returns a function that counts the distinct DOIs of rows. */
export function paperCounter({ terms }: Columns): (rows: Int32Array) => number {
  const { codes, codeEnd } = terms.doi;
  /** By code: the last call that counted it. */
  const countedIn = new Int32Array(codeEnd);
  let call = 0;
  return (rows) => {
    call += 1;
    let papers = 0;
    for (let at = 0, end = rows.length; at < end; at += 1) {
      const code = codes[rows[at] ?? 0] ?? 0;
      if (code === NO_VALUE || countedIn[code] === call) continue;
      countedIn[code] = call;
      papers += 1;
    }
    return papers;
  };
}

export function countStability(
  { stability: { codes } }: Columns,
  rows: ArrayLike<number>,
): { stable: number; unstable: number } {
  let [stable, unstable] = [0, 0];
  for (let at = 0, end = rows.length; at < end; at += 1) {
    const code = codes[rows[at] ?? 0];
    if (code === STABILITY.yes) stable += 1;
    else if (code === STABILITY.no) unstable += 1;
  }
  return { stable, unstable };
}
