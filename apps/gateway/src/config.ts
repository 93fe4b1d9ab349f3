import { isIP } from 'node:net';
import { z } from 'zod';
import { datasetFileSettings } from '@esd/dataset-client/dataset-facts';
import { httpReplicas, listenAddress, processSettings, readConfig, rpcTarget } from '@esd/service/config';

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
    message: 'must be a number of proxies or a list of addresses and CIDR ranges',
  });
  return z.NEVER;
});

const origins = z
  .string()
  .transform((text) => text.split(',').filter((part) => part !== ''))
  .pipe(
    z.array(
      z
        .url({ protocol: /^https?$/ })
        .refine((url) => new URL(url).origin === url, 'must be an origin such as https://lab.example.org'),
    ),
  );

const contact = z.union([z.literal(''), z.url({ protocol: /^(https|mailto)$/ })], {
  error: 'must be a URL, https or mailto',
});

const megabytes = z.coerce.number().int().min(1).max(1_000_000);
const connections = z.coerce.number().int().min(1).max(1_000_000);
const perMinute = z.coerce.number().int().min(1).max(1_000_000);

export const settings = {
  ...processSettings,
  ...datasetFileSettings,
  ESD_LISTEN: listenAddress
    .prefault('8080')
    .describe(
      'Public address, [host:]port. Without a host, it listens on all interfaces, IPv6 and IPv4; with `localhost`, on 127.0.0.1 and ::1.',
    ),
  ESD_LEAVE_SECONDS: z.coerce
    .number()
    .min(0)
    .max(120)
    .default(0)
    .describe(
      'Seconds after SIGTERM during which the gateway still accepts connections. /ready returns 503, so that load balancers stop using it.',
    ),
  ESD_IDENTITY_TARGET: rpcTarget.describe('The gRPC target of identity-svc.'),
  ESD_DATASET_TARGET: rpcTarget.describe('The gRPC target of dataset-svc.'),
  ESD_SUBMISSION_TARGET: rpcTarget.describe('The gRPC target of submission-svc.'),
  ESD_MEDIA_TARGET: rpcTarget.describe('The gRPC target of media-svc.'),
  ESD_MEDIA_HTTP: httpReplicas.describe(
    'Comma-separated base URLs of the internal HTTP endpoints of all replicas of media-svc.',
  ),
  ESD_EXPORT_TARGET: rpcTarget.describe('The gRPC target of export-svc.'),
  ESD_EXPORT_HTTP: httpReplicas.describe(
    'Comma-separated base URLs of the internal HTTP endpoints of all replicas of export-svc.',
  ),
  ESD_TRUSTED_PROXIES: trustedProxies
    .prefault('0')
    .describe(
      'Proxies whose X-Forwarded-For header is trusted: their number, or comma-separated addresses and CIDR ranges.',
    ),
  ESD_RATE_LIMITS: z
    .enum(['on', 'off'])
    .default('on')
    .describe('Whether requests are limited per client address; `off` is for load tests.'),
  ESD_LIMIT_READS: perMinute.default(600).describe('Maximum reads per minute and client address (IPv6: /64).'),
  ESD_LIMIT_PAGES: perMinute.default(600).describe('Maximum web pages per minute and client address.'),
  ESD_LIMIT_ANALYSIS: perMinute
    .default(120)
    .describe(
      'Maximum counts, statistics and searches for similar experiments per minute and client address. Cached responses count as reads.',
    ),
  ESD_LIMIT_EXPORTS: perMinute.default(120).describe('Maximum exports and downloads per minute and client address.'),
  ESD_LIMIT_FILES_MB: megabytes
    .default(2_000)
    .describe(
      'Maximum MB from `/files` per hour and client address, counted while they are sent. A request that begins within the limit is served completely.',
    ),
  ESD_LIMIT_SUBMISSIONS: perMinute
    .default(60)
    .describe('Maximum submissions, uploads and other writes per minute and client address.'),
  ESD_LIMIT_ACCOUNTS: perMinute
    .default(20)
    .describe(
      'Maximum sign-ins, registrations and other changes to accounts and tokens per minute and client address.',
    ),
  ESD_LIMIT_SESSIONS: perMinute
    .default(300)
    .describe('Maximum session refreshes and sign-outs in the browser per minute and client address.'),
  ESD_LIMIT_OTHER: perMinute
    .default(600)
    .describe('Maximum OPTIONS requests and requests for unknown paths and methods per minute and client address.'),
  ESD_BODIES_CLIENT_MB: megabytes
    .default(30)
    .describe(
      'Maximum MB of unfinished request bodies per client address (IPv6: /64; a /48 gets eight times as much). Below 21, 20 MB images cannot be uploaded.',
    ),
  ESD_BODIES_MB: megabytes.default(256).describe('Maximum MB of unfinished request bodies of all clients together.'),
  ESD_CONNECTIONS_CLIENT: connections
    .default(256)
    .describe(
      'Maximum connections per address (IPv6: /64; a /48 gets eight times as many). Trusted proxies are not limited.',
    ),
  ESD_CONNECTIONS: connections.default(8_192).describe('Maximum connections in total.'),
  ESD_HSTS: z
    .union([z.literal('off'), z.coerce.number().int().min(1)], { error: 'must be off or a number of seconds' })
    .default('off')
    .describe(
      'Seconds for which browsers use only HTTPS (`Strict-Transport-Security`). Keep `off` while any client still uses HTTP.',
    ),
  ESD_PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .describe(
      'Public URL of the interface, optionally with a path. `Link` headers and /.well-known/security.txt use it. Without it, links are paths.',
    ),
  OTEL_TRACES_SAMPLER_ARG: z.coerce
    .number()
    .min(0)
    .max(1)
    .default(0.1)
    .describe('Share of requests that are traced, 0 to 1. The other processes follow the decision of the gateway.'),
  ESD_INSECURE_COOKIES: z
    .enum(['on', 'off'])
    .default('off')
    .describe(
      '`on` allows signing in over plain HTTP from another machine. Anyone on the network path can then read the password and the cookie.',
    ),
  ESD_WEB_DIST: z.string().min(1).default('apps/web/dist').describe('Folder of the built web pages.'),
  ESD_SECURITY_CONTACT: contact
    .prefault('')
    .describe('Contact for vulnerability reports, `mailto:…` or `https://…`. Published at /.well-known/security.txt.'),
  ESD_PAGE_CACHE_MB: z.coerce
    .number()
    .int()
    .min(1)
    .default(64)
    .describe('Maximum MB of memory for cached pages, including their compressed variants.'),
  ESD_CORS_ORIGINS: origins
    .prefault('')
    .describe('Comma-separated origins whose pages may write. Pages of every origin may read.'),
};

export type GatewayConfig = z.output<z.ZodObject<typeof settings>>;

/** Reads the settings. Throws a SettingsError that names each invalid one. */
export function loadConfig(environment: NodeJS.ProcessEnv = process.env): GatewayConfig {
  return readConfig(settings, environment);
}
