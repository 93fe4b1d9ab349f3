import { randomBytes } from 'node:crypto';
import { Secret, TOTP } from 'otpauth';

const SECRET_BYTES = 20;
const PERIOD_SECONDS = 30;
const DIGITS = 6;
/** The number of accepted time steps before and after the current one, to allow for clock differences. */
const WINDOW = 1;
const ISSUER = 'Electrospinning Dataset Service';

export function newOtpSecret(): Buffer {
  return randomBytes(SECRET_BYTES);
}

/** Returns the secret in base32 and the otpauth:// URL of its QR code. */
export function otpEnrollment(secret: Buffer, email: string): { secret: string; otpauthUrl: string } {
  const totp = totpOf(secret, email);
  return { secret: totp.secret.base32, otpauthUrl: totp.toString() };
}

/** Returns the time step of a code (RFC 6238), or undefined for an invalid code. `now`: milliseconds since 1970. */
export function otpStep(secret: Buffer, otp: string, now: number): number | undefined {
  if (!new RegExp(`^\\d{${DIGITS}}$`).test(otp)) return undefined;
  const delta = totpOf(secret, '').validate({ token: otp, timestamp: now, window: WINDOW });
  return delta === null ? undefined : Math.floor(now / 1000 / PERIOD_SECONDS) + delta;
}

function totpOf(secret: Buffer, label: string): TOTP {
  return new TOTP({
    issuer: ISSUER,
    label,
    algorithm: 'SHA1',
    digits: DIGITS,
    period: PERIOD_SECONDS,
    secret: new Secret({ buffer: new Uint8Array(secret).buffer }),
  });
}
