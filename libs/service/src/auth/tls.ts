import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { SettingsError } from '../config.ts';
import { gauge } from '../health/metrics.ts';
import type { WarningCheck } from '../health/warnings.ts';

export interface Tls {
  cert: Buffer;
  key: Buffer;
  /** The only trusted authorities. */
  ca: Buffer;
}

export interface TlsConfig {
  ESD_TLS_CERT_FILE?: string | undefined;
  ESD_TLS_KEY_FILE?: string | undefined;
  ESD_TLS_CA_FILE?: string | undefined;
}

const DAY_MS = 24 * 3_600_000;
const WARN_DAYS = 14;

/**
 * Reads the certificates once; undefined without TLS settings. `replicas` contains the base URLs of other processes by
 * setting. Throws a SettingsError that names the setting if a file is unreadable, files are inconsistent, or a URL has the
 * wrong scheme. `readConfig` has checked that all three settings are set, or none.
 */
export function readTls(
  config: TlsConfig,
  replicas: Readonly<Record<string, readonly string[]>> = {},
): Tls | undefined {
  const { ESD_TLS_CERT_FILE: cert, ESD_TLS_KEY_FILE: key, ESD_TLS_CA_FILE: ca } = config;
  for (const [setting, urls] of Object.entries(replicas)) {
    const scheme = cert ? 'https://' : 'http://';
    if (urls.some((url) => !url.startsWith(scheme))) {
      throw new SettingsError(
        `${setting} must begin with ${scheme} ${cert ? 'because' : 'unless'} ESD_TLS_CERT_FILE is set.`,
      );
    }
  }
  if (!cert || !key || !ca) return undefined;
  const tls = {
    cert: readPem('ESD_TLS_CERT_FILE', cert),
    key: readPem('ESD_TLS_KEY_FILE', key),
    ca: readPem('ESD_TLS_CA_FILE', ca),
  };
  checked('ESD_TLS_CERT_FILE', () => new X509Certificate(tls.cert));
  checked('ESD_TLS_CA_FILE', () => new X509Certificate(tls.ca));
  checked('ESD_TLS_KEY_FILE', () => createSecureContext(tls));
  return tls;
}

/** Returns the check that warns before the certificate expires, and sets its metric; empty without TLS. */
export function watchedCertificate(tls: Tls | undefined): WarningCheck[] {
  if (!tls) return [];
  const { validToDate } = new X509Certificate(tls.cert);
  gauge('esd_tls_certificate_expiry_timestamp_seconds').set(validToDate.getTime() / 1000);
  const check = (): Promise<string | undefined> =>
    Promise.resolve(
      validToDate.getTime() - Date.now() < WARN_DAYS * DAY_MS
        ? `The certificate of ESD_TLS_CERT_FILE expires at ${validToDate.toISOString()}; renew it and restart the process.`
        : undefined,
    );
  return [{ name: 'certificate', check }];
}

function readPem(setting: string, file: string): Buffer {
  return checked(setting, () => readFileSync(file));
}

function checked<Result>(setting: string, work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    const why = Error.isError(cause) ? cause.message : String(cause);
    throw new SettingsError(`${setting} must name a readable PEM file that fits the other TLS settings: ${why}`, {
      cause,
    });
  }
}
