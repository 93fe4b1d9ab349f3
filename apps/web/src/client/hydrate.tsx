import { isObject } from '@esd/record/validate/is-object';
import { type ComponentType, hydrate, render } from 'preact';
import type { Frame, Page } from '@esd/pages/page';
import { distinctNotices } from './shown-notices.ts';

interface Data<Kind extends Page['kind']> {
  page: Extract<Page, { kind: Kind }>;
  frame: Frame;
}

/** Hydrates the server-rendered page with the data that it contains. Throws an Error if the data are of another kind. */
export function hydratePage<Kind extends Page['kind']>(kind: Kind, View: ComponentType<Data<Kind>>): void {
  const root = document.getElementById('app');
  const data: unknown = JSON.parse(document.getElementById('page')?.textContent ?? 'null');
  if (!root || !isData(data, kind)) throw new Error(`This page has no data of the kind ${kind}.`);
  hydrate(<View page={data.page} frame={data.frame} />, root);
  const notices = document.getElementById('notices');
  if (notices) render(<Notices />, notices);
}

// The server serialized a value of this type.
function isData<Kind extends Page['kind']>(data: unknown, kind: Kind): data is Data<Kind> {
  return isObject(data) && isObject(data['page']) && data['page']['kind'] === kind;
}

function Notices() {
  return (
    <>
      {distinctNotices.value.map(({ text, counting, action }) => (
        <p key={text}>
          <span role="status" class={counting ? 'hidden-text' : undefined}>
            {text}
          </span>
          {counting && <span aria-hidden="true">{counting}</span>}
          {action && (
            <button type="button" class="link" onClick={action.act}>
              {action.label}
            </button>
          )}
        </p>
      ))}
    </>
  );
}
