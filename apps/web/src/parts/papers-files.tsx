import { LATEST } from '@esd/pages/explore-view';

const FILES = [
  ['bibtex', 'BibTeX'],
  ['csl-json', 'CSL-JSON'],
] as const;

/** Returns the URL of the list of papers of a release or of `latest`. */
export function papersAddress(
  base: string,
  version: string,
  parameters: Readonly<Record<string, string>> = {},
): string {
  const query = new URLSearchParams(parameters).toString();
  const dataset = version === LATEST ? '' : `/${encodeURIComponent(version)}`;
  return `${base}/public/dataset${dataset}/papers${query === '' ? '' : `?${query}`}`;
}

/** Links to the citation files of papers. `address` is the URL of their list, without parameters of a page. */
export function PapersFiles({ address }: { address: string }) {
  return (
    <span class="small">
      Cite the papers:{' '}
      {FILES.map(([format, name], at) => (
        <>
          {at > 0 && ' · '}
          <a href={`${address}${address.includes('?') ? '&' : '?'}format=${format}`} rel="nofollow" download>
            {name}
          </a>
        </>
      ))}
    </span>
  );
}
