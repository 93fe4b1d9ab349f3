import type { Request } from 'express';
import type { Renderer } from '@esd/pages/page';
import type { Route } from '../../http/route.ts';
import { pageRoute } from '../../pages/page-route.ts';

const RECORD_ID = /^[1-9]\d{0,14}$/;

/** Serves the feedback form to clients that prefer HTML. Other clients get the list for administrators at the same URL. */
export function feedbackPageRoutes(renderer: Renderer): Route[] {
  return [
    {
      ...pageRoute(renderer, {
        path: '/feedback',
        show: ({ request }) => {
          const record = new URLSearchParams(request.url.split('?')[1] ?? '').get('record') ?? '';
          const recordId = RECORD_ID.test(record) ? Number(record) : undefined;
          const path = `/feedback${recordId === undefined ? '' : `?record=${recordId}`}`;
          return Promise.resolve({ page: { kind: 'feedback', recordId }, path });
        },
      }),
      isFor: (request) => request.baseUrl === '' && prefersHtml(request),
    },
  ];
}

/** Clients that accept anything get the list. */
function prefersHtml(request: Request): boolean {
  return request.accepts(['json', 'html']) === 'html';
}
