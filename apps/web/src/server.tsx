import type { VNode } from 'preact';
import { renderToString } from 'preact-render-to-string';
import type { Frame, Page, Renderer } from '@esd/pages/page';
import { withShortNames } from './materials.ts';
import { About } from './pages/about-page.tsx';
import { Contributors } from './pages/contributors-page.tsx';
import { DataDictionary } from './pages/data-dictionary-page.tsx';
import { DocsGroup } from './pages/docs-group-page.tsx';
import { Docs } from './pages/docs-page.tsx';
import { Failure } from './pages/error-page.tsx';
import { ExploreDocument } from './pages/explore-page.tsx';
import { Home } from './pages/home-page.tsx';
import { AccountDocument, Contribute, Feedback, Manage, Moderate } from './pages/live-pages.tsx';
import { MailLink } from './pages/mail-link-page.tsx';
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

export const render: Renderer['render'] = (page, frame) =>
  `<!doctype html>\n${renderToString(element(page.kind, page, frame))}\n`;

export const titlesOf: Renderer['titlesOf'] = (records, known) => {
  const names = namesOf('', known);
  return records.map((record) => recordPageTitle(record.recordId, withShortNames(record, names), record.normalized));
};

type Pages = { readonly [Value in Page as Value['kind']]: Value };

const VIEWS: { readonly [Kind in keyof Pages]: (props: { page: Pages[Kind]; frame: Frame }) => VNode } = {
  home: Home,
  explore: ExploreDocument,
  releases: Releases,
  release: Release,
  record: Record,
  moderate: Moderate,
  manage: Manage,
  withdrawn: WithdrawnRecord,
  account: AccountDocument,
  'mail-link': MailLink,
  contributors: Contributors,
  'data-dictionary': DataDictionary,
  about: About,
  privacy: Privacy,
  paper: Paper,
  query: Query,
  contribute: Contribute,
  search: Search,
  feedback: Feedback,
  docs: Docs,
  'docs-group': DocsGroup,
  status: Status,
  error: Failure,
};

function element<Kind extends keyof Pages>(kind: Kind, page: Pages[Kind], frame: Frame): VNode {
  return VIEWS[kind]({ page, frame });
}
