import { useSignal } from '@preact/signals';
import type { ExperimentData } from '@esd/record/catalog/catalog';
import { call } from '../client/call.ts';
import { Failure } from '../staff/failure.tsx';
import { useStaff } from '../staff/service.ts';
import { useLoadedValue } from '../staff/use-loaded-value.ts';
import { Warnings } from './warnings.tsx';
import type { RecordAnalyses } from './record-analyses.ts';
import { type DiffRow, diffRows } from './record-diff.ts';
import type { Review } from './shapes.ts';

export interface Other {
  readonly name: string;
  readonly note: string;
  readonly record: ExperimentData;
}

export function Comparison({ review, analyses }: { review: Review; analyses: RecordAnalyses }) {
  const { request } = useStaff();
  const { publishedRecord, publishedRevision } = review;
  const duplicate = useSignal<number | undefined>(undefined);
  const other = useLoadedValue(`duplicate ${duplicate.value}`, async (signal): Promise<Other | undefined> => {
    const id = duplicate.value;
    if (id === undefined) {
      if (!publishedRecord) return undefined;
      const note = publishedRevision === undefined ? 'before its withdrawal' : `revision ${publishedRevision}`;
      return {
        name: publishedRevision === undefined ? 'Previously public' : 'Public now',
        note,
        record: publishedRecord,
      };
    }
    const options = { parameters: { id }, signal };
    const { record, revision } = (await call(request, 'get', '/moderation/records/{id}', options)).body;
    return { name: `Record ${id}`, note: `revision ${revision}`, record };
  });
  return (
    <div class="columns halves">
      <section aria-labelledby="differences">
        <Failure error={other.error} again={other.reload} />
        {!other.isLoading && other.error === undefined && (
          <Differences review={review} other={other.value} isDuplicate={duplicate.value !== undefined} />
        )}
      </section>
      <Warnings review={review} analyses={analyses} compared={duplicate} />
    </div>
  );
}

interface Props {
  review: Review;
  other: Other | undefined;
  isDuplicate: boolean;
}

function Differences({ review: { record, revision }, other, isDuplicate }: Props) {
  const rows = diffRows(other?.record, record);
  const changed = rows.filter(({ isChanged }) => isChanged);
  const showsAll = useSignal(false);
  const shown = other && !showsAll.value ? changed : rows;
  const title = isDuplicate ? 'Differences' : other ? 'Changes' : 'Submitted values';
  return (
    <>
      <div class="row spread">
        <h2 id="differences">{title}</h2>
        {other && (
          <span class="switch" role="group" aria-label="Show fields">
            <button type="button" aria-pressed={!showsAll.value} onClick={() => (showsAll.value = false)}>
              Changed ({changed.length})
            </button>
            <button type="button" aria-pressed={showsAll.value} onClick={() => (showsAll.value = true)}>
              All ({rows.length})
            </button>
          </span>
        )}
      </div>
      {shown.length === 0 ? (
        <p class="muted">Every field is the same.</p>
      ) : (
        <div class="scroll" role="group" aria-labelledby="differences" tabIndex={0}>
          <table class="diff">
            <thead>
              <tr>
                <th scope="col">Field</th>
                {other && (
                  <th scope="col">
                    {other.name} <small>{other.note}</small>
                  </th>
                )}
                <th scope="col">
                  {isDuplicate ? 'This record' : 'Proposed'} <small>revision {revision}</small>
                </th>
              </tr>
            </thead>
            <tbody>
              {shown.map((row) => (
                <Row key={row.name} row={row} hasOther={other !== undefined} />
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  );
}

function Row({ row: { name, before, after, isChanged }, hasOther }: { row: DiffRow; hasOther: boolean }) {
  const missing = <span class="muted">not reported</span>;
  if (!hasOther || !isChanged) {
    return (
      <tr>
        <th scope="row">{name}</th>
        <td colSpan={hasOther ? 2 : 1}>{after ?? missing}</td>
      </tr>
    );
  }
  return (
    <tr class="changed">
      <th scope="row">{name}</th>
      <td>{before === undefined ? missing : <del>{before}</del>}</td>
      <td>{after === undefined ? missing : <ins>{after}</ins>}</td>
    </tr>
  );
}
