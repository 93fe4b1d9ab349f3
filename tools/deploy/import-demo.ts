/**
 * Loads the demo dataset into a running system: import-demo.ts URL FOLDER
 *
 * FOLDER contains `admin.json` and `contributor.json`; identity-svc must write its mails to FOLDER/mail (ESD_MAIL_DIR).
 * ESD_BOOTSTRAP_TOKEN is required if the system has one. Can be repeated.
 */
import { importDemo } from '@esd/dev-stack/demo/import';
import { StackError } from '@esd/dev-stack/stack-error';

const withinMs = 30 * 60_000;

const [url, dataDir] = process.argv.slice(2);
if (url === undefined || dataDir === undefined) fail('Usage: import-demo.ts URL FOLDER');
try {
  await importDemo({
    url,
    dataDir,
    bootstrapToken: process.env['ESD_BOOTSTRAP_TOKEN'],
    signal: AbortSignal.timeout(withinMs),
    say: (line) => process.stdout.write(`${line}\n`),
  });
} catch (error) {
  if (error instanceof StackError) fail(error.message);
  throw error;
}

function fail(message: string): never {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}
