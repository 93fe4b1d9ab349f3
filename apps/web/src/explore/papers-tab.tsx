import { useEffect, useState } from 'preact/hooks';
import type { ExploreData } from '@esd/pages/explore-data';
import type { Papers as PapersOf } from '@esd/pages/explore-data';
import { RequestError } from '../client/request.ts';
import { copyText } from '../client/copy-text.ts';
import { saveCsv } from '../client/save-csv.ts';
import { countText, numberText } from '../format.ts';
import { Papers } from '../parts/papers.tsx';
import { papersAddress, PapersFiles } from '../parts/papers-files.tsx';
import { Button } from '../parts/buttons.tsx';
import { filterParameter } from './chips.ts';
import { requestParts, useExplore } from './state.ts';

/** A list of papers, with what is known about them. */
interface AllPapers extends PapersOf {
  readonly knownPapers: NonNullable<ExploreData['knownPapers']>;
}

export function PapersTab() {
  const { base, view, data } = useExplore();
  const [message, setMessage] = useState('');
  const { papers, knownPapers = [] } = data;
  useEffect(() => setMessage(''), [papers]);
  if (!papers) return null;
  const take = async (act: (list: AllPapers) => Promise<string>): Promise<void> => {
    setMessage('');
    try {
      const isWhole = papers.data.length === papers.total;
      setMessage(await act(listOf(isWhole ? { papers, knownPapers } : await requestParts(base, view, ['allPapers']))));
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      setMessage(error.message);
    }
  };
  return (
    <div class="part first">
      <Papers papers={papers} />
      {papers.total > 0 && (
        <p class="bar">
          <Button class="needs-script" onClick={() => void take(saveList)}>
            Save list as CSV
          </Button>
          <Button class="needs-script" onClick={() => void take(copyList)}>
            Copy DOIs
          </Button>
          <PapersFiles address={papersAddress(base, view.version, filterParameter(view))} />
          <span role="status" class="small">
            {message}
          </span>
        </p>
      )}
    </div>
  );
}

function listOf({ papers, knownPapers = [] }: Pick<ExploreData, 'papers' | 'knownPapers'>): AllPapers {
  if (!papers) throw new RequestError(0, undefined);
  return { ...papers, knownPapers };
}

function saveList({ data, total, knownPapers }: AllPapers): Promise<string> {
  const summaries = new Map(knownPapers.map((paper) => [paper.doi, paper]));
  const heads = [
    'paper',
    'title',
    'authors',
    'year',
    'journal',
    'experiments',
    'not_stable',
    'polymers',
    'fiber_diameter_q25_nm',
    'fiber_diameter_median_nm',
    'fiber_diameter_q75_nm',
  ];
  const rows = data.map(({ doi, records, unstable, polymers, fiberDiameter }) => {
    const { title = '', authors = '', year, journal = '' } = summaries.get(doi) ?? {};
    const { q25, median, q75 } = fiberDiameter;
    return [doi, title, authors, year ?? null, journal, records, unstable, polymers.join('; '), q25, median, q75];
  });
  saveCsv('papers.csv', heads, rows);
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
