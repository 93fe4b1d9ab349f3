/**
 * Loads the demo dataset into a running system: import-demo.ts URL FOLDER
 *
 * FOLDER keeps `admin.json` and `contributor.json`, and the system's mails come to FOLDER/mail (ESD_MAIL_DIR of identity-svc).
 * ESD_BOOTSTRAP_TOKEN is needed where the system asks for it. Can be repeated.
 */
import { importDemo } from '@esd/dev-stack/demo/import';
import { StackError } from '@esd/dev-stack/stack-error';

const withinMs = 30 * 60_000;

const [url, dataDir] = process.argv.slice(2);
if (url === undefined || dataDir === undefined) fail('Where to? import-demo.ts URL FOLDER');
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
