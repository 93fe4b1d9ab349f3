import { z } from 'zod';
import {
  databaseSettings,
  natsSettings,
  privateKeySet,
  processSettings,
  readConfig,
  rpcServerSettings,
} from '@esd/service/config';

/** Every setting of identity-svc. */
export const identitySettings = {
  ...processSettings,
  ...rpcServerSettings,
  ...databaseSettings,
  ...natsSettings,
  ESD_SESSION_PRIVATE_KEYS: privateKeySet.describe(
    'Secret. JWK set of the P-256 keys of session tokens: the first signs, all verify, so that a key can be replaced.',
  ),
  ESD_ASSERTION_PRIVATE_KEYS: privateKeySet.describe(
    'Secret. JWK set of the P-256 keys that sign who calls, for the other services: the first signs. Never the same keys as those of session tokens.',
  ),
  ESD_SESSION_TOKEN_MINUTES: z.coerce
    .number()
    .int()
    .min(15)
    .max(60)
    .default(30)
    .describe('How long a session token is valid.'),
  ESD_REFRESH_TOKEN_HOURS: z.coerce
    .number()
    .int()
    .min(2)
    .default(24)
    .describe('How long a refresh token is valid; each refresh gives a new one.'),
  ESD_REMEMBERED_REFRESH_TOKEN_DAYS: z.coerce
    .number()
    .int()
    .min(1)
    .default(30)
    .describe('The same for a login with rememberMe.'),
  ESD_SECRETS_KEY: z
    .string()
    .regex(/^[A-Za-z0-9_-]{43}$/, { error: 'is not 32 bytes in base64url' })
    .transform((text) => Buffer.from(text, 'base64url'))
    .optional()
    .describe(
      'Secret. 32 random bytes in base64url, which seal the secrets of authenticators in the database. Without it nobody can turn two-factor sign-in on; with another one than before only recovery codes work.',
    ),
  ESD_REQUIRE_TWO_FACTOR: z
    .enum(['off', 'staff'])
    .default('off')
    .describe(
      '`staff`: the work of an ADMIN or MODERATOR needs two-factor sign-in (403 TWO_FACTOR_REQUIRED without it).',
    ),
  ESD_AUDIT_ADDRESS_DAYS: z.coerce
    .number()
    .int()
    .min(1)
    .default(90)
    .describe('How many days the audit trail keeps client addresses; the entries stay without them.'),
  ESD_BOOTSTRAP_TOKEN: z
    .string()
    .min(16)
    .optional()
    .describe('Secret. Needed to create the first ADMIN; without it the first one who asks becomes ADMIN.'),
  ESD_PASSWORD_MEMORY_KIB: z.coerce
    .number()
    .int()
    .min(7_168)
    .default(19_456)
    .describe('Memory of one Argon2id hash in KiB; the default is the current advice of OWASP.'),
  ESD_PASSWORD_PASSES: z.coerce.number().int().min(1).default(2).describe('Passes of one Argon2id hash.'),
  ESD_PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .default('http://localhost:8080')
    .transform((url) => url.replace(/\/+$/, ''))
    .describe('Root of the public interface as people reach it: the links in mails begin with it.'),
  ESD_SMTP_URL: z
    .url({ protocol: /^smtps?$/ })
    .optional()
    .describe(
      'Secret. Mail server, smtp[s]://user:password@host:port; smtps is TLS from the start, smtp takes TLS where the server offers it, and insists on it with ?requireTLS=true.',
    ),
  ESD_MAIL_DIR: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Folder for mails as *.eml files where there is no ESD_SMTP_URL; their links are in the files alone. Without both, mails wait in the database.',
    ),
  ESD_MAIL_FROM: z
    .string()
    .regex(/^[^\p{Cc}]*[^\s\p{Cc}<>@]+@[^\s\p{Cc}<>@]+>?$/u, {
      error: 'is not an address such as Dataset <no-reply@example.org>',
    })
    .default('Electrospinning Dataset Service <no-reply@localhost>')
    .describe('Sender of mails; an address of your own domain where ESD_SMTP_URL is set.'),
  ESD_MAIL_GIVE_UP_HOURS: z.coerce
    .number()
    .min(1)
    .default(24)
    .describe('How long a mail that cannot be sent is tried again before it is given up.'),
  ESD_VERIFICATION_HOURS: z.coerce
    .number()
    .int()
    .min(24)
    .max(48)
    .default(48)
    .describe('How long the link that verifies an e-mail address works.'),
  ESD_PASSWORD_RESET_HOURS: z.coerce
    .number()
    .int()
    .min(1)
    .max(24)
    .default(1)
    .describe('How long the link to choose a new password works.'),
};

export type IdentityConfig = z.output<z.ZodObject<typeof identitySettings>>;

/** Throws an Error that says which setting is wrong. */
export function loadConfig(environment: NodeJS.ProcessEnv = process.env): IdentityConfig {
  return readConfig(identitySettings, environment);
}
