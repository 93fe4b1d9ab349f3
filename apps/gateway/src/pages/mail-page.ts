import type { Request, Response } from 'express';
import type { MailLinkPage, Renderer } from '@esd/pages/page';
import { ERROR_CODES, ServiceError } from '@esd/service/errors';
import { frameOf, POLICY } from './page-route.ts';

type Purpose = MailLinkPage['purpose'];

/** Whether a request asks for HTML rather than JSON: true only where `Accept` prefers it. */
export function prefersHtml(request: Request): boolean {
  return request.accepts(['json', 'html']) === 'html';
}

/** The page that a link in a mail opens, which has a form with the token of the link. It is not stored. */
export function sendMailPage(
  renderer: Renderer,
  page: Omit<MailLinkPage, 'kind'>,
  request: Request,
  response: Response,
): void {
  response.set({
    'Cache-Control': 'no-store',
    'Content-Security-Policy': POLICY,
    'Cross-Origin-Resource-Policy': 'same-origin',
  });
  const frame = frameOf(request, `/auth/${page.purpose}`);
  response.type('html').send(renderer.render({ kind: 'mail-link', ...page }, frame));
}

/** Does what the form of such a page asks for, and answers with the page: done, or what is wrong. */
export async function answerMailForm(
  renderer: Renderer,
  { purpose, token }: { purpose: Purpose; token: string },
  act: () => Promise<unknown>,
  request: Request,
  response: Response,
): Promise<void> {
  try {
    await act();
    sendMailPage(renderer, { purpose, token: undefined, problem: undefined }, request, response);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code === 'INTERNAL') throw error;
    const { http: status } = ERROR_CODES[error.code];
    // With a token that is used up or wrong there is nothing to send again.
    const page = { purpose, token: status === 401 ? undefined : token, problem: error.message };
    response.status(status);
    sendMailPage(renderer, page, request, response);
  }
}
