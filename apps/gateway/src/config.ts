import { isIP } from 'node:net';
import { z } from 'zod';
import { httpCopies, listenAddress, processSettings, rpcTarget } from '@esd/service/config';

function isAddressRange(text: string): boolean {
  const [address, bits, ...rest] = text.split('/');
  const version = isIP(address ?? '');
  if (version === 0 || rest.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
}

const trustedProxies = z.string().transform((text, context): number | string[] => {
  if (/^\d{1,2}$/.test(text)) return Number(text);
  const ranges = text.split(',').map((part) => part.trim());
  if (ranges.every(isAddressRange)) return ranges;
  context.addIssue({
    code: 'custom',
    message: 'is neither a number of proxies nor a list of addresses and CIDR ranges',
  });
  return z.NEVER;
});

const origins = z
  .string()
  .transform((text) => text.split(',').filter((part) => part !== ''))
  .pipe(z.array(z.url({ protocol: /^https?$/ }).refine((url) => new URL(url).origin === url, 'is not an origin')));

const contact = z.union([z.literal(''), z.url({ protocol: /^(https|mailto)$/ })]);

const megabytes = z.coerce.number().int().min(1).max(1_000_000);
const connections = z.coerce.number().int().min(1).max(1_000_000);
const perMinute = z.coerce.number().int().min(1).max(1_000_000);

/** Every setting of the gateway. */
export const settings = {
  ...processSettings,
  ESD_LISTEN: listenAddress.prefault('8080').describe('Public address, [host:]port; without a host every interface.'),
  ESD_LEAVE_SECONDS: z.coerce
    .number()
    .min(0)
    .max(120)
    .default(0)
    .describe(
      'How long the gateway, told to stop, still takes connections while /ready says 503: until load balancers have left it.',
    ),
  ESD_IDENTITY_TARGET: rpcTarget.describe('gRPC target of identity-svc.'),
  ESD_DATASET_TARGET: rpcTarget.describe('gRPC target of dataset-svc.'),
  ESD_SUBMISSION_TARGET: rpcTarget.describe('gRPC target of submission-svc.'),
  ESD_MEDIA_TARGET: rpcTarget.describe('gRPC target of media-svc.'),
  ESD_MEDIA_HTTP: httpCopies.describe('Internal HTTP ports of the copies of media-svc: base URLs by comma.'),
  ESD_EXPORT_TARGET: rpcTarget.describe('gRPC target of export-svc.'),
  ESD_EXPORT_HTTP: httpCopies.describe('Internal HTTP ports of the copies of export-svc: base URLs by comma.'),
  ESD_TRUSTED_PROXIES: trustedProxies
    .prefault('0')
    .describe(
      'Whose X-Forwarded-For is believed: how many proxies stand before the gateway, or their addresses and CIDR ranges.',
    ),
  ESD_RATE_LIMITS: z
    .enum(['on', 'off'])
    .default('on')
    .describe('Whether requests are limited by client address; `off` is for load tests.'),
  ESD_LIMIT_READS: perMinute.default(600).describe('Reads a minute and client address (IPv6: /64).'),
  ESD_LIMIT_EXPORTS: perMinute.default(120).describe('Exports and downloads a minute and client address.'),
  ESD_LIMIT_SUBMISSIONS: perMinute
    .default(60)
    .describe('Submissions, uploads and other writes a minute and client address.'),
  ESD_LIMIT_ACCOUNTS: perMinute
    .default(20)
    .describe('Logins, registrations and other changes of accounts and tokens a minute and client address.'),
  ESD_LIMIT_OTHER: perMinute
    .default(600)
    .describe('Requests a minute and client address that no route answers: unknown paths and methods, OPTIONS.'),
  ESD_BODIES_CLIENT_MB: megabytes
    .default(30)
    .describe(
      'Most MB of unfinished bodies a client address (IPv6: /64; a /48 eight times that); below 21 no image of 20 MB comes through.',
    ),
  ESD_BODIES_MB: megabytes.default(256).describe('Most MB of unfinished bodies of all clients.'),
  ESD_CONNECTIONS_CLIENT: connections
    .default(256)
    .describe('Most connections of one address (IPv6: /64; a /48 eight times that) that is no trusted proxy.'),
  ESD_CONNECTIONS: connections.default(8_192).describe('Most connections in all.'),
  ESD_HSTS: z
    .union([z.literal('off'), z.coerce.number().int().min(1)])
    .default('off')
    .describe(
      'Seconds for which browsers shall use HTTPS alone (`Strict-Transport-Security`); `off` where any client still comes by HTTP.',
    ),
  ESD_PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'Root of the public interface as people reach it: the address of /.well-known/security.txt begins with it.',
    ),
  ESD_SECURITY_CONTACT: contact
    .prefault('')
    .describe('Where to report a weakness, `mailto:…` or `https://…`; served as /.well-known/security.txt.'),
  ESD_PAGE_CACHE_MB: z.coerce
    .number()
    .int()
    .min(1)
    .default(64)
    .describe('Most memory for pages that are kept, in MB, their compressed variants included.'),
  ESD_CORS_ORIGINS: origins
    .prefault('')
    .describe('Origins whose pages may write, by comma; pages of every origin may read.'),
};

export type GatewayConfig = z.output<z.ZodObject<typeof settings>>;
