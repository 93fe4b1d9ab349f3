import { useMemo } from 'preact/hooks';
import type { ExperimentData } from '@esd/record/catalog/catalog';
import { useStaff } from '../staff/service.ts';
import { Comparison } from './comparison.tsx';
import { History } from './history.tsx';
import { Marks } from './marks-section.tsx';
import { Messages } from './messages.tsx';
import { recordAnalyses } from './record-analyses.ts';
import type { Review } from './shapes.ts';

/** The data of a record for review. It is a separate script, which the page loads with the first record. */
export function RecordDetails({ review }: { review: Review }) {
  const { request } = useStaff();
  const analyses = useMemo(() => recordAnalyses(request), [request]);
  const { recordId, revision, record, ownerAccountId, unread } = review;
  return (
    <>
      <Comparison key={`${recordId}-${revision}`} review={review} analyses={analyses} />
      <Marks record={record} analyses={analyses} />
      <Images record={record} />
      {ownerAccountId !== undefined && <Messages recordId={recordId} unread={unread} />}
      <History review={review} />
    </>
  );
}

function Images({ record: { fiberImages = [] } }: { record: ExperimentData }) {
  const { base } = useStaff();
  if (fiberImages.length === 0) return null;
  return (
    <section class="section" aria-labelledby="images">
      <h2 id="images">Images</h2>
      <ul class="images">
        {fiberImages.map(({ imageId = '', imageType }) => (
          <li key={imageId}>
            <a href={`${base}/images/${imageId}/content`}>
              <img
                src={`${base}/images/${imageId}/content`}
                alt={`Fibers${imageType === undefined ? '' : `: ${imageType}`}`}
                loading="lazy"
              />
            </a>
          </li>
        ))}
      </ul>
    </section>
  );
}
