import { renderToString } from 'preact-render-to-string';
import type { Frame, Page, Renderer } from '@esd/pages/page';
import { withShortNames } from './materials.ts';
import { About } from './pages/about-page.tsx';
import { AccountPage } from './pages/account-page.tsx';
import { Contribute } from './pages/contribute-page.tsx';
import { Contributors } from './pages/contributors-page.tsx';
import { DataDictionary } from './pages/data-dictionary-page.tsx';
import { DocsGroup } from './pages/docs-group-page.tsx';
import { Docs } from './pages/docs-page.tsx';
import { Failure } from './pages/error-page.tsx';
import { ExploreDocument } from './pages/explore-page.tsx';
import { Feedback } from './pages/feedback-page.tsx';
import { Home } from './pages/home-page.tsx';
import { MailLink } from './pages/mail-link-page.tsx';
import { Manage } from './pages/manage-page.tsx';
import { Moderate } from './pages/moderate-page.tsx';
import { Paper } from './pages/paper-page.tsx';
import { Privacy } from './pages/privacy-page.tsx';
import { Query } from './pages/query-page.tsx';
import { Record } from './pages/record-page.tsx';
import { Release } from './pages/release-page.tsx';
import { Releases } from './pages/releases-page.tsx';
import { Status } from './pages/status-page.tsx';
import { WithdrawnRecord } from './pages/withdrawn-page.tsx';
import { Search } from './pages/search-page.tsx';
import { namesOf } from './parts/known-names.tsx';
import { recordPageTitle } from './record-rows.ts';

declare const BUILD: string;

export const build = BUILD;

export const render: Renderer['render'] = (page, frame) => `<!doctype html>\n${renderToString(element(page, frame))}\n`;

export const titlesOf: Renderer['titlesOf'] = (records, known) => {
  const names = namesOf('', known);
  return records.map((record) => recordPageTitle(record.recordId, withShortNames(record, names), record.normalized));
};

function element(page: Page, frame: Frame) {
  switch (page.kind) {
    case 'home':
      return <Home page={page} frame={frame} />;
    case 'explore':
      return <ExploreDocument page={page} frame={frame} />;
    case 'releases':
      return <Releases page={page} frame={frame} />;
    case 'release':
      return <Release page={page} frame={frame} />;
    case 'record':
      return <Record page={page} frame={frame} />;
    case 'moderate':
      return <Moderate page={page} frame={frame} />;
    case 'manage':
      return <Manage page={page} frame={frame} />;
    case 'withdrawn':
      return <WithdrawnRecord page={page} frame={frame} />;
    case 'account':
      return <AccountPage page={page} frame={frame} />;
    case 'mail-link':
      return <MailLink page={page} frame={frame} />;
    case 'contributors':
      return <Contributors page={page} frame={frame} />;
    case 'data-dictionary':
      return <DataDictionary page={page} frame={frame} />;
    case 'about':
      return <About page={page} frame={frame} />;
    case 'privacy':
      return <Privacy page={page} frame={frame} />;
    case 'paper':
      return <Paper page={page} frame={frame} />;
    case 'query':
      return <Query page={page} frame={frame} />;
    case 'contribute':
      return <Contribute page={page} frame={frame} />;
    case 'search':
      return <Search page={page} frame={frame} />;
    case 'feedback':
      return <Feedback page={page} frame={frame} />;
    case 'docs':
      return <Docs page={page} frame={frame} />;
    case 'docs-group':
      return <DocsGroup page={page} frame={frame} />;
    case 'status':
      return <Status page={page} frame={frame} />;
    case 'error':
      return <Failure page={page} frame={frame} />;
  }
}
