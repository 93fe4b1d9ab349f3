import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { request as requestPlain } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { makeCertificates } from '@esd/testing/certificates';
import { leaseStack } from '@esd/testing/leased-stack';
import type { Page } from 'playwright-core';
import { inBrowser, overflow, violations } from '../browser.ts';
import { addAccount } from '../support/accounts.ts';
import { type Credentials, newAdmin } from '../support/admin.ts';
import { apiAt } from '../support/api.ts';
import { startGateway } from '../support/extra-gateway.ts';
import { newAddress } from '../support/new-address.ts';

/** A name that the browser does not treat as loopback. */
const NAME = 'esd.test';
const BROWSER = { args: [`--host-resolver-rules=MAP ${NAME} 127.0.0.1`] };

const stack = await leaseStack('moderated');
const api = apiAt(stack.url);
const folder = await mkdtemp(join(tmpdir(), 'esd-https-'));
const { cert, key } = await makeCertificates(folder, 'page', [`DNS:${NAME}`]);
let gateway: { url: string; stop: () => Promise<void> } | undefined;
// A reverse proxy that terminates TLS.
const proxy: Server = createServer({ cert: await readFile(cert), key: await readFile(key) }, (incoming, answer) => {
  const { method, url, headers } = incoming;
  const passed = requestPlain(`${gateway?.url ?? ''}${url ?? '/'}`, { method, headers, setHost: false }, (given) => {
    answer.writeHead(given.statusCode ?? 502, given.headers);
    pipeline(given, answer).catch(() => answer.destroy());
  });
  passed.on('error', () => answer.destroy());
  pipeline(incoming, passed).catch(() => passed.destroy());
});
await new Promise<void>((listening) => proxy.listen(0, '127.0.0.1', listening));
const { port } = proxy.address() as AddressInfo; // of a TCP server
const plainUrl = `http://${NAME}:${new URL(stack.url).port}`;
const secureUrl = `https://${NAME}:${port}`;

let who: Credentials;
beforeAll(async () => {
  const { who: admin } = await newAdmin(stack, api);
  ({ who } = await addAccount(stack, admin, newAddress('https')));
  gateway = await startGateway(stack, { ESD_PUBLIC_URL: secureUrl });
});
afterAll(async () => {
  proxy.close();
  proxy.closeAllConnections();
  await gateway?.stop();
  await rm(folder, { recursive: true, force: true });
  await stack.stop();
});

async function signIn(page: Page): Promise<void> {
  await page.getByLabel('Email').fill(who.email);
  await page.getByLabel('Password').fill(who.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

describe('over plain HTTP from another machine', () => {
  inBrowser(
    plainUrl,
    'a browser',
    (open) => {
      test('shows before a password is sent that signing in requires HTTPS; reading and submitting do not', async () => {
        const { page, context } = await open('/account');
        await page
          .getByRole('alert')
          .getByText(`Signing in requires HTTPS, but this page was loaded over HTTP from ${NAME}`)
          .waitFor();
        expect(await page.getByRole('button', { name: 'Sign in' }).isDisabled()).toBe(true);
        expect([await violations(page), await overflow(page)]).toEqual([[], 0]);
        expect(await context.cookies()).toEqual([]);
        // Locks and the clipboard are unavailable here, and /contribute works without them.
        await page.goto(`${plainUrl}/contribute`);
        await page.getByLabel('Voltage', { exact: true }).fill('12');
        await page.getByText(/Draft saved on this device/).waitFor();
        await context.close();
      });

      test('signs in if the operator allows it', async () => {
        const allowing = await startGateway(stack, { ESD_INSECURE_COOKIES: 'on' });
        try {
          const { page, context } = await open('/');
          await page.goto(`http://${NAME}:${new URL(allowing.url).port}/account`);
          await signIn(page);
          await page.getByRole('button', { name: 'New token' }).waitFor();
          expect(await context.cookies()).toMatchObject([{ httpOnly: true, secure: false, sameSite: 'Strict' }]);
          await context.close();
        } finally {
          await allowing.stop();
        }
      });
    },
    BROWSER,
  );
});

inBrowser(
  secureUrl,
  'over HTTPS a browser',
  (open) => {
    test('signs in, stays signed in with a cookie of this host only, and signs out', async () => {
      const { page, context, problems } = await open('/account', { ignoreHTTPSErrors: true });
      await signIn(page);
      await page.getByRole('button', { name: 'New token' }).waitFor();
      const [cookie, ...others] = await context.cookies();
      expect(others).toEqual([]);
      expect(cookie).toMatchObject({
        name: '__Host-esd',
        domain: NAME,
        path: '/',
        secure: true,
        httpOnly: true,
        sameSite: 'Strict',
      });
      expect(await page.evaluate('document.cookie')).toBe('');

      const refreshed = page.waitForResponse((answer) => answer.url() === `${secureUrl}/session/refresh`);
      await page.reload();
      expect((await refreshed).status()).toBe(200);
      await page.getByRole('button', { name: 'New token' }).waitFor();
      const [next] = await context.cookies();
      expect(next?.name).toBe('__Host-esd');
      expect(next?.value).not.toBe(cookie?.value);
      // Plain HTTP does not receive the cookie.
      expect(await context.cookies(`http://${NAME}:${port}/`)).toEqual([]);

      await page.getByRole('button', { name: 'Sign out', exact: true }).click();
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
      expect(await context.cookies()).toEqual([]);
      await page.reload();
      await page.getByRole('button', { name: 'Sign in' }).waitFor();
      expect(problems).toEqual([]);
      await context.close();
    });
  },
  BROWSER,
);
