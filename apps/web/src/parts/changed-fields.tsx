import type { ChangedField } from '@esd/pages/page';
import { plain } from '../record-rows.ts';

/** The old and the new value of a field, as two cells of a row in a body of the class `changes`. */
export function OldAndNew({ change: { before, after } }: { change: ChangedField }) {
  return (
    <>
      <td>{before === undefined ? <span class="muted">not reported</span> : <del>{plain(before)}</del>}</td>
      <td>{after === undefined ? <span class="muted">not reported</span> : <ins>{plain(after)}</ins>}</td>
    </>
  );
}
