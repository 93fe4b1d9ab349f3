import { fieldPath, plain } from '../record-rows.ts';
import { Heads, ScrollTable } from './scroll-table.tsx';

interface FieldChange {
  readonly path: string;
  readonly before?: unknown;
  readonly after?: unknown;
}

interface Props {
  labelledBy: string;
  changes: readonly FieldChange[];
}

export function FieldChanges({ labelledBy, changes }: Props) {
  return (
    <ScrollTable labelledBy={labelledBy}>
      <Heads of={['Field', 'Old', 'New']} />
      <tbody class="changes">
        {changes.map((change) => (
          <tr key={change.path}>
            <th scope="row">{fieldPath(change.path)}</th>
            <OldAndNew change={change} />
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}

/** Two cells with the old and the new value of a field. The table body must have the class `changes`. */
export function OldAndNew({ change: { before, after } }: { change: FieldChange }) {
  return (
    <>
      <td>{before === undefined ? <span class="muted">not reported</span> : <del>{plain(before)}</del>}</td>
      <td>{after === undefined ? <span class="muted">not reported</span> : <ins>{plain(after)}</ins>}</td>
    </>
  );
}
