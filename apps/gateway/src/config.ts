import { isIP } from 'node:net';
import { z } from 'zod';
import { ALLOWANCES } from '@esd/api/allowances';
import { datasetFileSettings } from '@esd/dataset-client/dataset-facts';
import {
  allowanceSetting,
  httpReplicas,
  listenAddress,
  processSettings,
  readConfig,
  rpcTarget,
} from '@esd/service/config';

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

const { requests, connections } = ALLOWANCES;

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
  ESD_LIMIT_READS: allowanceSetting(requests.reads),
  ESD_LIMIT_PAGES: allowanceSetting(requests.pages),
  ESD_LIMIT_ANALYSIS: allowanceSetting(requests.analysis),
  ESD_LIMIT_EXPORTS: allowanceSetting(requests.exports),
  ESD_LIMIT_FILES_MB: allowanceSetting(requests.files),
  ESD_LIMIT_SUBMISSIONS: allowanceSetting(requests.submissions),
  ESD_LIMIT_ACCOUNTS: allowanceSetting(requests.accounts),
  ESD_LIMIT_SESSIONS: allowanceSetting(requests.sessions),
  ESD_LIMIT_OTHER: allowanceSetting(requests.other),
  ESD_BODIES_CLIENT_MB: allowanceSetting(connections.clientBodies),
  ESD_BODIES_MB: allowanceSetting(connections.bodies),
  ESD_CONNECTIONS_CLIENT: allowanceSetting(connections.ofClient),
  ESD_CONNECTIONS: allowanceSetting(connections.all),
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
