import { fieldPath, plain } from '../record-rows.ts';
import { ScrollTable } from './scroll-table.tsx';

interface Props {
  /** The id of what names the table. */
  labelledBy: string;
  changes: readonly { readonly path: string; readonly before?: unknown; readonly after?: unknown }[];
}

/** The fields that a revision of a record changed, old and new. */
export function FieldChanges({ labelledBy, changes }: Props) {
  return (
    <ScrollTable labelledBy={labelledBy}>
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Old</th>
          <th scope="col">New</th>
        </tr>
      </thead>
      <tbody class="changes">
        {changes.map(({ path, before, after }) => (
          <tr key={path}>
            <th scope="row">{fieldPath(path)}</th>
            <td>{before === undefined ? <span class="muted">not reported</span> : <del>{plain(before)}</del>}</td>
            <td>{after === undefined ? <span class="muted">not reported</span> : <ins>{plain(after)}</ins>}</td>
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}
