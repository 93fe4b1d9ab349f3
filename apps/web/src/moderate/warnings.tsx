import type { Signal } from '@preact/signals';
import { fieldNameOfPath } from '@esd/record/catalog/field-names';
import { StatusBadge } from '../parts/status-badge.tsx';
import { Failure } from '../staff/failure.tsx';
import { useStaff } from '../staff/service.ts';
import { useLoadedValue } from '../staff/use-loaded-value.ts';
import { LinkButton } from '../parts/buttons.tsx';
import type { RecordAnalyses } from './record-analyses.ts';
import type { Review } from './shapes.ts';

interface Props {
  review: Review;
  analyses: RecordAnalyses;
  /** The likely duplicate that is shown next to the record. */
  compared: Signal<number | undefined>;
}

export function Warnings({
  review: { record, warnings: stored, missingFields, withdrawn, duplicates },
  analyses,
  compared,
}: Props) {
  const loaded = useLoadedValue(`ranges ${JSON.stringify(record)}`, (signal) => analyses.warnings(record, signal));
  // The contributor saw the same list.
  const warnings = [...stored, ...(loaded.value ?? []).map(({ path, text }) => ({ path, message: text }))];
  const hasNone = warnings.length === 0 && missingFields.length === 0 && !withdrawn && !loaded.isLoading;
  return (
    <section aria-labelledby="doubts" aria-busy={loaded.isLoading}>
      <h2 id="doubts">Checks</h2>
      <Failure error={loaded.error} again={loaded.reload} />
      {hasNone && <p class="muted">No warnings.</p>}
      <ul class="doubts small">
        {withdrawn && <Doubt name="It was withdrawn." text={withdrawn.reason} />}
        {missingFields.map((path) => (
          <Doubt key={path} name={`${fieldNameOfPath(path)} is missing.`} text="" />
        ))}
        {warnings.map(({ path, message }) => (
          <Doubt key={`${path} ${message}`} name={path === '' ? '' : `${fieldNameOfPath(path)}: `} text={message} />
        ))}
      </ul>
      {duplicates.length > 0 && <Duplicates duplicates={duplicates} compared={compared} />}
    </section>
  );
}

function Doubt({ name, text }: { name: string; text: string }) {
  return (
    <li>
      <span class="sign" aria-hidden="true">
        !
      </span>{' '}
      <b>{name}</b> {text}
    </li>
  );
}

interface DuplicatesProps {
  duplicates: Review['duplicates'];
  compared: Signal<number | undefined>;
}

function Duplicates({ duplicates, compared }: DuplicatesProps) {
  const { base } = useStaff();
  return (
    <>
      <h3 id="duplicates">Likely duplicates</h3>
      <ul aria-labelledby="duplicates" class="small">
        {duplicates.map(({ recordId, status, published }) => (
          <li key={recordId} class="row spread">
            <a
              href={`${base}${published ? `/record/${recordId}` : `/moderate?record=${recordId}`}`}
              target="_blank"
              rel="noreferrer"
            >
              Record {recordId}
            </a>
            <StatusBadge status={status} />
            <LinkButton
              aria-pressed={compared.value === recordId}
              onClick={() => (compared.value = compared.value === recordId ? undefined : recordId)}
            >
              Compare with {recordId}
            </LinkButton>
          </li>
        ))}
      </ul>
    </>
  );
}
