import { isIP } from 'node:net';
import { parseArgs } from 'node:util';
import { Stop } from './stop.mjs';

const defaults = { port: 8080, host: 'localhost', dataDir: '.esd' };

const flags = `  --port P            port of the gateway (${defaults.port})
  --host H            address that the gateway listens on (${defaults.host}: 127.0.0.1 and ::1); :: accepts other machines
  --data-dir DIR      folder for all data (${defaults.dataDir})
  --empty             start without demo data and without an admin
  --replicas name=n   number of replicas of a service; can be repeated; gateways listen on P, P+1, …
  --help              show this text`;

export const usage = `Usage: npm start -- [options]

Starts the whole system on this machine and stops it on Ctrl-C.

${flags}

Environment variables: ESD_RATE_LIMITS=off turns rate limits off, for load tests. ESD_PG_ADMIN_URL, ESD_NATS_URL and
ESD_S3_ENDPOINT select your own servers (see tools/README.md).`;

export const devUsage = `Usage: npm run dev -- [service …] [options]

Starts the whole system without rate limits. The named services, or all services, restart when their sources or a library
change. The rest of the stack keeps running.

${flags}
  --inspect           the named services listen for a debugger on ports 9230, 9231, … (see .vscode/launch.json)`;

/**
 * Reads the command line of `npm start`. Throws a Stop if it is invalid.
 *
 * @param {string[]} arguments_
 */
export function readOptions(arguments_) {
  return checked(parse(arguments_, 'npm start -- --help').values);
}

/**
 * Reads the command line of `npm run dev`. Throws a Stop if it is invalid.
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
  if (host !== defaults.host && isIP(host) === 0)
    throw new Stop(`--host: "${host}" is not localhost or an IP address, such as 127.0.0.1 or 0.0.0.0.`);
  const replicas = Object.fromEntries((values.replicas ?? []).map(readReplicas));
  const gateways = replicas.gateway ?? 1;
  if (port + gateways - 1 > 65_535)
    throw new Stop(`--port: "${port}" leaves too few ports for ${gateways} gateways. Choose a lower port.`);
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
  if (name === undefined) throw new Stop(`--replicas: "${text}" is not of the form name=n, for example dataset-svc=2.`);
  return [name, wholeNumber(`--replicas ${name}`, count, 1, 32)];
}

function wholeNumber(what, text, least, most) {
  const number = /^\d+$/.test(text) ? Number(text) : NaN;
  if (number >= least && number <= most) return number;
  throw new Stop(`${what}: "${text}" is not a whole number from ${least} to ${most}.`);
}
