import { escapeHtml, type HtmlPage } from './html-page.ts';

/** What the home page shows; numbers are left out while they cannot be read. */
export interface HomePage {
  records: number | undefined;
  /** The identifier of the newest frozen version. */
  newestRelease: string | undefined;
  /** Where the pages and files are, by what they are. */
  links: Readonly<Record<'docs' | 'dataset' | 'export' | 'releases' | 'openapi', string>> & { security?: string };
  /** A URL to try; left out where the public URL is not configured. */
  example: string | undefined;
}

/** The page at the root: what this is, and where everything else is. */
export function homePage({ records, newestRelease, links, example }: HomePage): HtmlPage {
  const link = (url: string, text: string): string => `<a href="${escapeHtml(url)}">${text}</a>`;
  const count = records === undefined ? '' : ` It has ${records.toLocaleString('en-US')} published records.`;
  const release = newestRelease === undefined ? '' : `, the newest is ${escapeHtml(newestRelease)}`;
  const security = links.security === undefined ? '' : `\n<li>${link(links.security, 'Report a vulnerability')}</li>`;
  return {
    title: 'Electrospinning Dataset Service',
    body: `<p>Curated records of electrospinning experiments: materials, process parameters and the resulting fibers.
Anyone can read and submit; moderators review each submission.${count}</p>
<ul>
<li>${link(links.docs, 'Documentation of the interface')} (${link(links.openapi, 'OpenAPI')})</li>
<li>${link(links.dataset, 'Records as JSON')}</li>
<li>${link(links.export, 'Download the dataset as a spreadsheet')}</li>
<li>${link(links.releases, 'Releases')}: frozen versions to cite${release}</li>${security}
</ul>${
      example === undefined
        ? ''
        : `
<p>A first request:</p>
<pre>curl "${escapeHtml(example)}"</pre>`
    }`,
  };
}
