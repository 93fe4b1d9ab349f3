import type { Frame, PartStatus, StatusPage, StatusPart } from '@esd/pages/page';
import { Document } from '../document.tsx';
import { countText } from '../format.ts';
import { Badge } from '../parts/badge.tsx';

const PARTS: Readonly<Record<StatusPart['name'], string>> = {
  read: 'Reading and search',
  download: 'Downloads',
  contribute: 'Contributing',
  account: 'Accounts',
  images: 'Images',
};

const BADGES: Readonly<Record<PartStatus, readonly [kind: string, sign: string, text: string]>> = {
  up: ['ok', '✓', 'Works'],
  partly: ['needs', '!', 'Works partly'],
  down: ['bad', '×', 'Does not work'],
};

const SUMMARIES: Readonly<Record<PartStatus, string>> = {
  up: 'All parts of the service work.',
  partly: 'Some parts of the service do not work as usual.',
  down: 'The dataset cannot be read at the moment.',
};

/** `/status`: the parts of the service that work, for its users. */
export function Status({ page, frame }: { page: StatusPage; frame: Frame }) {
  const { base } = frame;
  const { status, checkedAt, parts, dataset } = page;
  const { revision, records, newestVersion } = dataset;
  return (
    <Document frame={frame} title="Service status" isHidden>
      <div class="wrap status">
        <h1>Service status</h1>
        <p class="lede">{SUMMARIES[status]}</p>
        <dl class="facts wide">
          {parts.map((part) => (
            <div key={part.name}>
              <dt>{PARTS[part.name]}</dt>
              <dd>
                <Badge of={BADGES[part.status]} />
                {part.message !== undefined && <p>{part.message}</p>}
              </dd>
            </div>
          ))}
          <div>
            <dt>Dataset</dt>
            <dd>
              {records === null || revision === null
                ? 'Its state is unknown at the moment.'
                : `${countText(records, 'experiment')}, revision ${revision}.`}
              {newestVersion !== null && (
                <>
                  {' '}
                  Newest release: <a href={`${base}/release/${encodeURIComponent(newestVersion)}`}>{newestVersion}</a>.
                </>
              )}
            </dd>
          </div>
        </dl>
        <p class="small muted">
          Checked on <time dateTime={checkedAt}>{checkedAt.replace('T', ' at ').replace(/\.\d+Z$/, ' UTC')}</time>.{' '}
          <a href={`${base}/status`}>Check again</a>
        </p>
      </div>
    </Document>
  );
}
