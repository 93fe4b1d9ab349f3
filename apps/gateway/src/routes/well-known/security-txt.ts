import type { GatewayConfig } from '../../config.ts';
import { route, type Route } from '../../http/route.ts';

export type SecurityTxtConfig = Pick<GatewayConfig, 'ESD_SECURITY_CONTACT' | 'ESD_PUBLIC_URL'>;

const DAY_MS = 24 * 60 * 60 * 1000;
const VALID_DAYS = 90;
const PATH = '/.well-known/security.txt';

/** Returns the route of security.txt (RFC 9116), or no route if no contact is configured. */
export function securityTxtRoutes({ ESD_SECURITY_CONTACT: contact, ESD_PUBLIC_URL: root }: SecurityTxtConfig): Route[] {
  if (contact === '') return [];
  return [
    route({
      method: 'get',
      path: PATH,
      caller: 'ignored',
      isAtRootOnly: true,
      describe: 'page',
      handle: (_input, response) => {
        const today = Math.floor(Date.now() / DAY_MS);
        const expires = new Date((today + VALID_DAYS) * DAY_MS).toISOString();
        const canonical = root === undefined ? '' : `Canonical: ${root.replace(/\/+$/, '')}${PATH}\n`;
        response
          .set('Cache-Control', 'public, max-age=86400')
          .type('text/plain; charset=utf-8')
          .send(`Contact: ${contact}\nExpires: ${expires}\n${canonical}Preferred-Languages: en\n`);
      },
    }),
  ];
}
