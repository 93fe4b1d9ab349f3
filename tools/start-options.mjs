import { isIP } from 'node:net';
import { parseArgs } from 'node:util';
import { Stop } from './stop.mjs';

const defaults = { port: 8080, host: '127.0.0.1', dataDir: '.esd' };

const flags = `  --port P            the gateway's port (${defaults.port})
  --host H            the address that it listens on (${defaults.host}); 0.0.0.0 lets other machines in
  --data-dir DIR      folder of everything that is kept (${defaults.dataDir})
  --empty             no demo data and no admin
  --replicas name=n   copies of a service; can be repeated; several gateways listen on P, P+1, …
  --help              this text`;

export const usage = `Usage: npm start -- [options]

Starts the whole system on this machine and stops it on Ctrl-C.

${flags}

From the environment: ESD_RATE_LIMITS=off for load tests; ESD_PG_ADMIN_URL, ESD_NATS_URL and ESD_S3_ENDPOINT to use servers of
yours (tools/README.md).`;

export const devUsage = `Usage: npm run dev -- [service …] [options]

Starts the whole system without request limits. The named services, or all, start again when their sources or a library
change; the rest of the stack keeps running.

${flags}
  --inspect           the named services listen for a debugger, from port 9230 on (see .vscode/launch.json)`;

/**
 * Reads the command line. Throws a Stop that names what is wrong with it.
 *
 * @param {string[]} arguments_
 */
export function readOptions(arguments_) {
  return checked(parse(arguments_, 'npm start -- --help').values);
}

/**
 * Reads the command line of `npm run dev`. Throws a Stop that names what is wrong with it.
 *
 * @param {string[]} arguments_
 */
export function readDevOptions(arguments_) {
  const { values, positionals } = parse(arguments_, 'npm run dev -- --help', { inspect: { type: 'boolean' } });
  return { ...checked(values), watch: { services: positionals, inspect: values.inspect === true } };
}

function checked(values) {
  const port = values.port === undefined ? defaults.port : wholeNumber('--port', values.port, 1, 65_535);
  const host = values.host ?? defaults.host;
  if (isIP(host) === 0) throw new Stop(`--host: "${host}" is not an IP address, such as 127.0.0.1 or 0.0.0.0.`);
  const replicas = Object.fromEntries((values.replicas ?? []).map(readReplicas));
  const gateways = replicas.gateway ?? 1;
  if (port + gateways - 1 > 65_535) throw new Stop(`There are no ports for ${gateways} gateways from ${port} on.`);
  return {
    help: values.help === true,
    port,
    host,
    dataDir: values['data-dir'] ?? defaults.dataDir,
    empty: values.empty === true,
    replicas,
  };
}

function parse(arguments_, help, more) {
  try {
    return parseArgs({
      args: arguments_,
      allowPositionals: more !== undefined,
      options: {
        ...more,
        port: { type: 'string' },
        host: { type: 'string' },
        'data-dir': { type: 'string' },
        empty: { type: 'boolean' },
        replicas: { type: 'string', multiple: true },
        help: { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new Stop(`${error.message.split(/\. |\n/)[0]}. See ${help}.`);
  }
}

function readReplicas(text) {
  const [, name, count] = /^([a-z-]+)=(.*)$/.exec(text) ?? [];
  if (name === undefined) throw new Stop(`--replicas ${text} is not name=n, for example --replicas dataset-svc=2.`);
  return [name, wholeNumber(`--replicas ${name}`, count, 1, 32)];
}

function wholeNumber(what, text, least, most) {
  const number = /^\d+$/.test(text) ? Number(text) : NaN;
  if (number >= least && number <= most) return number;
  throw new Stop(`${what}: "${text}" is not a whole number from ${least} to ${most}.`);
}
