import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from './run-command.ts';

const EC_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
const DAYS = 2;

export interface CertificateFiles {
  ca: string;
  cert: string;
  key: string;
}

/**
 * Creates a certificate authority and a certificate for `hosts` in the folder, valid for two days unless `days` says otherwise. Requires
 * `openssl`.
 */
export async function makeCertificates(
  folder: string,
  name: string,
  hosts: readonly string[] = ['DNS:localhost', 'IP:127.0.0.1'],
  days = DAYS,
): Promise<CertificateFiles> {
  const openssl = (...args: string[]): Promise<string> => runCommand(['openssl', ...args], { cwd: folder });
  const files = { ca: `${name}.ca.pem`, cert: `${name}.pem`, key: `${name}.key` };
  const subject = ['-subj', `/CN=${name}`, '-days', String(days)];
  await openssl('req', '-x509', ...EC_KEY, '-keyout', `${name}.ca.key`, '-out', files.ca, ...subject);
  await openssl('req', ...EC_KEY, '-keyout', files.key, '-out', `${name}.csr`, '-subj', `/CN=${name} process`);
  await writeFile(join(folder, `${name}.ext`), `subjectAltName=${hosts.join(',')}\n`);
  await renewCertificate(folder, name, days);
  return { ca: join(folder, files.ca), cert: join(folder, files.cert), key: join(folder, files.key) };
}

/** Replaces a certificate of `makeCertificates` with one of the same authority and key that expires in `days`. */
export async function renewCertificate(folder: string, name: string, days: number): Promise<void> {
  const signer = ['-CA', `${name}.ca.pem`, '-CAkey', `${name}.ca.key`, '-CAcreateserial', '-days', String(days)];
  const files = ['-in', `${name}.csr`, '-out', `${name}.pem`, '-extfile', `${name}.ext`];
  await runCommand(['openssl', 'x509', '-req', ...files, ...signer], { cwd: folder });
}
