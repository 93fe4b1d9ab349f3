import { route, type Route } from '../route.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
const VALID_DAYS = 90;

/** GET /.well-known/security.txt (RFC 9116): where to report a weakness; no such path without a contact. */
export function securityTxtRoutes(contact: string): Route[] {
  if (contact === '') return [];
  return [
    route({
      method: 'get',
      path: '/.well-known/security.txt',
      caller: 'ignored',
      describe: 'page',
      handle: (_input, response) => {
        const today = Math.floor(Date.now() / DAY_MS);
        const expires = new Date((today + VALID_DAYS) * DAY_MS).toISOString();
        response
          .set('Cache-Control', 'public, max-age=86400')
          .type('text/plain; charset=utf-8')
          .send(`Contact: ${contact}\nExpires: ${expires}\nPreferred-Languages: en\n`);
      },
    }),
  ];
}
