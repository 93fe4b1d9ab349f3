import { LATEST } from '@esd/pages/explore-view';
import { papersAddress, PapersFiles } from '../parts/papers-files.tsx';
import { Button } from '../parts/buttons.tsx';
import { filterParameter, filterWords } from './chips.ts';
import { useExplore } from './state.ts';

const FILES = [
  ['bibtex', 'BibTeX'],
  ['ris', 'RIS'],
  ['csl-json', 'CSL-JSON'],
] as const;

/** The citation of the dataset or release, with the filter in words. It needs no script and no request. */
export function PlainCitation() {
  const { base, view, data } = useExplore();
  const words = filterWords(view);
  const version = view.version === LATEST ? '' : `/${encodeURIComponent(view.version)}`;
  return (
    <div class="cite">
      <p id="citation">
        {data.cited?.citation}
        {words !== '' && ` Filter: ${words}.`}
      </p>
      <p class="bar">
        <Button class="primary needs-script" data-copy="citation">
          Copy citation
        </Button>
        <span class="small">
          Without the filter:{' '}
          {FILES.map(([format, name], at) => (
            <>
              {at > 0 && ' · '}
              <a href={`${base}/public/dataset${version}/metadata?format=${format}`} rel="nofollow" download>
                {name}
              </a>
            </>
          ))}
        </span>
      </p>
      <p>
        <PapersFiles address={papersAddress(base, view.version, filterParameter(view))} />
      </p>
    </div>
  );
}
