import { type ComponentType, hydrate, render } from 'preact';
import type { Frame, Page } from '@esd/pages/page';
import { Notices } from './notices.tsx';

interface Data<Kind extends Page['kind']> {
  page: Extract<Page, { kind: Kind }>;
  frame: Frame;
}

/** Brings the page that the server has rendered to life, with the data that travel in it. */
export function hydratePage<Kind extends Page['kind']>(kind: Kind, View: ComponentType<Data<Kind>>): void {
  const root = document.getElementById('app');
  const data: unknown = JSON.parse(document.getElementById('page')?.textContent ?? 'null');
  if (!root || !isData(data, kind)) throw new Error(`This page has no data of ${kind}.`);
  hydrate(<View page={data.page} frame={data.frame} />, root);
  const notices = document.getElementById('notices');
  if (notices) render(<Notices />, notices);
}

// The server wrote them from a value of the same type.
function isData<Kind extends Page['kind']>(data: unknown, kind: Kind): data is Data<Kind> {
  if (typeof data !== 'object' || data === null || !('page' in data) || !('frame' in data)) return false;
  const { page } = data;
  return typeof page === 'object' && page !== null && 'kind' in page && page.kind === kind;
}
