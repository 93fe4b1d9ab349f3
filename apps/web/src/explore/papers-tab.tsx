import { useEffect, useState } from 'preact/hooks';
import type { ExploreView } from '@esd/pages/explore-view';
import type { Papers as PapersOf } from '@esd/pages/papers';
import { RequestError } from '../client/request.ts';
import { copyText } from '../client/copy-text.ts';
import { csvText } from '../client/csv-text.ts';
import { saveBlob } from '../client/save-file.ts';
import { countText, numberText } from '../format.ts';
import { Papers } from '../parts/papers.tsx';
import { requestParts, useExplore } from './state.ts';

export function PapersTab() {
  const { base, view, data } = useExplore();
  const [message, setMessage] = useState('');
  const { papers } = data;
  useEffect(() => setMessage(''), [papers]);
  if (!papers) return null;
  const take = async (act: (list: PapersOf) => Promise<string>): Promise<void> => {
    setMessage('');
    try {
      setMessage(await act(papers.data.length < papers.total ? await allPapers(base, view) : papers));
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      setMessage(error.message);
    }
  };
  return (
    <div class="part first">
      <Papers papers={papers} />
      {papers.total > 0 && (
        <>
          <p class="bar needs-script">
            <button class="button" type="button" onClick={() => void take(saveList)}>
              Save list as CSV
            </button>
            <button class="button" type="button" onClick={() => void take(copyList)}>
              Copy DOIs
            </button>
            <span role="status" class="small">
              {message}
            </span>
          </p>
          <p class="note-small muted">Reference managers can build a bibliography from a list of DOIs.</p>
        </>
      )}
    </div>
  );
}

async function allPapers(base: string, view: ExploreView): Promise<PapersOf> {
  const { papers } = await requestParts(base, view, ['allPapers']);
  if (!papers) throw new RequestError(0, undefined);
  return papers;
}

function saveList({ data, total }: PapersOf): Promise<string> {
  const heads = [
    'paper',
    'title',
    'experiments',
    'not_stable',
    'polymers',
    'fiber_diameter_q25_nm',
    'fiber_diameter_median_nm',
    'fiber_diameter_q75_nm',
  ];
  const rows = data.map(({ doi, title = '', records, unstable, polymers, fiberDiameter }) => [
    doi,
    title,
    String(records),
    String(unstable),
    polymers.join('; '),
    ...[fiberDiameter.q25, fiberDiameter.median, fiberDiameter.q75].map((value) => value?.toString() ?? ''),
  ]);
  saveBlob('papers.csv', new Blob([csvText(heads, rows)], { type: 'text/csv' }));
  return Promise.resolve(`Saved ${listed(data.length, total)}.`);
}

async function copyList({ data, total }: PapersOf): Promise<string> {
  const isCopied = await copyText(data.map(({ doi }) => doi).join('\n'));
  return isCopied
    ? `Copied ${listed(data.length, total)}.`
    : 'The browser blocked copying. Save the list as CSV instead.';
}

function listed(length: number, total: number): string {
  return length < total
    ? `the ${numberText(length)} papers with the most experiments, of ${numberText(total)}`
    : countText(length, 'paper');
}
