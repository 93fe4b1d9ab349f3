import { z } from 'zod';
import {
  databaseSettings,
  natsSettings,
  privateKeySet,
  processSettings,
  readConfig,
  rpcServerSettings,
  type SettingsCheck,
} from '@esd/service/config';

export const identitySettings = {
  ...processSettings,
  ...rpcServerSettings,
  ...databaseSettings,
  ...natsSettings,
  ESD_SESSION_PRIVATE_KEYS: privateKeySet.describe(
    'Secret. JWK set of the P-256 keys of session tokens. The first key signs and all keys verify, so that a key can be replaced.',
  ),
  ESD_ASSERTION_PRIVATE_KEYS: privateKeySet.describe(
    'Secret. JWK set of the P-256 keys of caller assertions, which name the calling account to other services. The first key signs. The keys must differ from those of session tokens.',
  ),
  ESD_SESSION_TOKEN_MINUTES: z.coerce
    .number()
    .int()
    .min(15)
    .max(60)
    .default(30)
    .describe('Lifetime of a session token, in minutes.'),
  ESD_REFRESH_TOKEN_HOURS: z.coerce
    .number()
    .int()
    .min(2)
    .default(24)
    .describe('Lifetime of a refresh token, in hours; each refresh returns a new one.'),
  ESD_REMEMBERED_REFRESH_TOKEN_DAYS: z.coerce
    .number()
    .int()
    .min(1)
    .default(30)
    .describe('Lifetime of a refresh token after a sign-in with rememberMe, in days.'),
  ESD_SECRETS_KEY: z
    .string()
    .regex(/^[A-Za-z0-9_-]{43}$/, { error: 'is not 32 bytes in base64url' })
    .transform((text) => Buffer.from(text, 'base64url'))
    .optional()
    .describe(
      'Secret. Key that encrypts the secrets of authenticators in the database: 32 random bytes in base64url. Without it, two-factor sign-in cannot be turned on. After the key changes, only recovery codes work.',
    ),
  ESD_REQUIRE_TWO_FACTOR: z
    .enum(['off', 'staff'])
    .default('off')
    .describe(
      'With `staff`, an ADMIN or MODERATOR needs two-factor sign-in to use the role (otherwise 403 TWO_FACTOR_REQUIRED).',
    ),
  ESD_AUDIT_ADDRESS_DAYS: z.coerce
    .number()
    .int()
    .min(1)
    .default(90)
    .describe('Days after which client addresses are erased from the audit trail; its entries remain.'),
  ESD_BOOTSTRAP_TOKEN: z
    .string()
    .min(16)
    .optional()
    .describe('Secret. Required to create the first ADMIN. If unset, the first caller becomes ADMIN.'),
  ESD_PASSWORD_MEMORY_KIB: z.coerce
    .number()
    .int()
    .min(7_168)
    .default(19_456)
    .describe('Memory of one Argon2id hash, in KiB. The default follows OWASP.'),
  ESD_PASSWORD_PASSES: z.coerce.number().int().min(1).default(2).describe('Number of passes of one Argon2id hash.'),
  ESD_PUBLIC_URL: z
    .url({ protocol: /^https?$/ })
    .default('http://localhost:8080')
    .transform((url) => url.replace(/\/+$/, ''))
    .describe('Root URL of the public interface; links in mails begin with it.'),
  ESD_SMTP_URL: z
    .url({ protocol: /^smtps?$/ })
    .optional()
    .describe(
      'Secret. Mail server, smtp[s]://user:password@host:port. smtps uses TLS from the start; smtp uses TLS if the server offers it, and requires it with ?requireTLS=true.',
    ),
  ESD_MAIL_DIR: z
    .string()
    .min(1)
    .optional()
    .describe(
      'Folder to which mails are written as *.eml files if ESD_SMTP_URL is unset. If neither is set, mails wait in the database.',
    ),
  ESD_MAIL_FROM: z
    .string()
    .regex(/^[^\p{Cc}]*[^\s\p{Cc}<>@]+@[^\s\p{Cc}<>@]+>?$/u, {
      error: 'is not a sender address such as Dataset <no-reply@example.org>',
    })
    .default('Electrospinning Dataset Service <no-reply@localhost>')
    .describe('Sender of mails. With ESD_SMTP_URL, use an address of your own domain.'),
  ESD_MAIL_GIVE_UP_HOURS: z.coerce
    .number()
    .min(1)
    .default(24)
    .describe('Hours after which the service gives up on an unsent mail.'),
  ESD_VERIFICATION_HOURS: z.coerce
    .number()
    .int()
    .min(24)
    .max(48)
    .default(48)
    .describe('Lifetime of the link that verifies an email address, in hours.'),
  ESD_PASSWORD_RESET_HOURS: z.coerce
    .number()
    .int()
    .min(1)
    .max(24)
    .default(1)
    .describe('Lifetime of the link with which a user chooses a new password, in hours.'),
};

export type IdentityConfig = z.output<z.ZodObject<typeof identitySettings>>;

const twoFactorNeedsKey: SettingsCheck = ({ ESD_REQUIRE_TWO_FACTOR: required = 'off', ESD_SECRETS_KEY: key }) =>
  required === 'off' || key
    ? undefined
    : 'ESD_SECRETS_KEY must be set, because ESD_REQUIRE_TWO_FACTOR is. Without it, no one can turn two-factor sign-in on.';

/** Reads the settings. Throws a SettingsError that names each invalid one. */
export function loadConfig(environment: NodeJS.ProcessEnv = process.env): IdentityConfig {
  return readConfig(identitySettings, environment, [twoFactorNeedsKey]);
}
