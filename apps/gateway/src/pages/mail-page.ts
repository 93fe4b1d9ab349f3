import type { Request, Response } from 'express';
import type { MailLinkPage, Renderer } from '@esd/pages/page';
import { ERROR_CODES } from '@esd/api/error-codes';
import { ServiceError } from '@esd/service/errors';
import { frameOf, POLICY } from './page-route.ts';

type Purpose = MailLinkPage['purpose'];

/** Returns whether `Accept` prefers HTML to JSON. */
export function prefersHtml(request: Request): boolean {
  return request.accepts(['json', 'html']) === 'html';
}

/** Sends the page that a mail link opens, with a form that contains the token of the link. Caches do not store it. */
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

/** Performs the action of such a form, and sends the page with the result or the problem. */
export async function answerMailForm(
  renderer: Renderer,
  { purpose, token }: { purpose: Purpose; token: string },
  act: () => Promise<{ readonly alreadyVerified?: boolean }>,
  request: Request,
  response: Response,
): Promise<void> {
  try {
    const { alreadyVerified: isAlreadyVerified = false } = await act();
    sendMailPage(renderer, { purpose, token: undefined, problem: undefined, isAlreadyVerified }, request, response);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code === 'INTERNAL') throw error;
    const { http: status } = ERROR_CODES[error.code];
    // A used or invalid token cannot be submitted again.
    const page = { purpose, token: status === 401 ? undefined : token, problem: error.message };
    response.status(status);
    sendMailPage(renderer, page, request, response);
  }
}
