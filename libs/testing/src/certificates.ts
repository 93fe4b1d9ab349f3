import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { runCommand } from './run-command.ts';

const EC_KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'];
const DAYS = ['-days', '2'];

export interface CertificateFiles {
  ca: string;
  cert: string;
  key: string;
}

/** Creates a certificate authority and a certificate for `hosts` in the folder, valid for two days. Requires `openssl`. */
export async function makeCertificates(
  folder: string,
  name: string,
  hosts: readonly string[] = ['DNS:localhost', 'IP:127.0.0.1'],
): Promise<CertificateFiles> {
  const openssl = (...args: string[]): Promise<string> => runCommand(['openssl', ...args], { cwd: folder });
  const files = { ca: `${name}.ca.pem`, cert: `${name}.pem`, key: `${name}.key` };
  const caKey = `${name}.ca.key`;
  const [request, extensions] = [`${name}.csr`, `${name}.ext`];
  await openssl('req', '-x509', ...EC_KEY, '-keyout', caKey, '-out', files.ca, '-subj', `/CN=${name}`, ...DAYS);
  await openssl('req', ...EC_KEY, '-keyout', files.key, '-out', request, '-subj', `/CN=${name} process`);
  await writeFile(join(folder, extensions), `subjectAltName=${hosts.join(',')}\n`);
  const signer = ['-CA', files.ca, '-CAkey', caKey, '-CAcreateserial'];
  await openssl('x509', '-req', '-in', request, ...signer, '-out', files.cert, ...DAYS, '-extfile', extensions);
  return { ca: join(folder, files.ca), cert: join(folder, files.cert), key: join(folder, files.key) };
}
