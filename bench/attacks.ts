import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { numberFormatBomb, nestedXmlBomb } from '@esd/testing/hostile-workbooks';
import { blackPng } from '@esd/testing/hostile-images';

/** Who attacks: an account, from one address. */
export interface Attacker {
  url: string;
  token: string;
  headers: Record<string, string>;
}

/** Goes on until the signal aborts. */
export type Attack = (attacker: Attacker, signal: AbortSignal) => Promise<void>;

const MB = 1024 * 1024;

/** The attacks by name; each goes on, as fast as it is answered, until it is stopped. */
export const attacks: Readonly<Record<string, Attack>> = {
  images: (who, signal) => {
    const png = blackPng({ width: 10_000, height: 10_000, pixels: 'rgba', bits: 16 });
    return atOnce(14, signal, () => upload(who, '/images/upload', png, signal));
  },
  submissions: (who, signal) => {
    const body = manyRecords(1_000);
    return atOnce(24, signal, () => post(who, '/data/submit', body, signal));
  },
  'number-format': (who, signal) => {
    const workbook = numberFormatBomb();
    return atOnce(4, signal, () => upload(who, '/data/parse-excel', workbook, signal));
  },
  'nested-xml': (who, signal) => {
    const workbook = nestedXmlBomb();
    return atOnce(4, signal, () => upload(who, '/data/parse-excel', workbook, signal));
  },
  feedback: (who, signal) => {
    const members = Array.from({ length: 600_000 }, (_, index) => `"m${index}":0`).join(',');
    return atOnce(2, signal, () => post({ ...who, token: '' }, '/feedback/submit', `{${members}}`, signal));
  },
  'validate-only': (who, signal) => {
    const body = manyRecords(1_000);
    return atOnce(24, signal, () => post(who, '/data/submit?validate=only', body, signal));
  },
  exports: (who, signal) => {
    let next = 0;
    return atOnce(40, signal, () => {
      const filter = encodeURIComponent(JSON.stringify({ voltageMin: (next++ % 100_000) / 100_000 }));
      return get(who, `/public/dataset/export?format=xlsx&filter=${filter}`, signal);
    });
  },
  'unfinished-bodies': (who, signal) =>
    heldConnections(who, signal, 60, { path: '/data/submit', type: 'application/json', length: 10 * MB, sent: 9 * MB }),
  'slow-headers': (who, signal) => heldConnections(who, signal, 200, undefined),
  'slow-senders': (who, signal) =>
    heldConnections(who, signal, 120, {
      path: '/images/upload',
      type: 'multipart/form-data; boundary=b',
      length: 10 * MB,
      sent: 1_000,
    }),
};

/** Keeps `count` requests under way. One that is refused is sent again after a moment, as an impolite client would. */
async function atOnce(count: number, signal: AbortSignal, send: () => Promise<void>): Promise<void> {
  const one = async (): Promise<void> => {
    while (!signal.aborted) {
      await send().catch(() => undefined);
      await sleep(50);
    }
  };
  await Promise.all(Array.from({ length: count }, one));
}

async function get({ url, headers }: Attacker, path: string, signal: AbortSignal): Promise<void> {
  await (await fetch(`${url}${path}`, { headers, signal })).bytes();
}

async function post({ url, token, headers }: Attacker, path: string, body: string, signal: AbortSignal): Promise<void> {
  const credential = token === '' ? {} : { authorization: `Bearer ${token}` };
  const all = { ...headers, ...credential, 'content-type': 'application/json' };
  await (await fetch(`${url}${path}`, { method: 'POST', headers: all, body, signal })).bytes();
}

async function upload(
  { url, token, headers }: Attacker,
  path: string,
  file: Buffer,
  signal: AbortSignal,
): Promise<void> {
  const body = new FormData();
  body.set('file', new Blob([new Uint8Array(file)]));
  const all = { ...headers, authorization: `Bearer ${token}` };
  await (await fetch(`${url}${path}`, { method: 'POST', headers: all, body, signal })).bytes();
}

/** Keeps `count` connections open whose bodies, or without one whose headers, never end; opens another for each that is cut. */
async function heldConnections(
  { url, headers }: Attacker,
  signal: AbortSignal,
  count: number,
  body: { path: string; type: string; length: number; sent: number } | undefined,
): Promise<void> {
  const { hostname, port } = new URL(url);
  const entity = body ? { 'Content-Type': body.type, 'Content-Length': String(body.length) } : {};
  const lines = Object.entries({ ...headers, Host: hostname, ...entity }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  const head = `POST ${body?.path ?? '/data/submit'} HTTP/1.1\r\n${lines.join('')}${body ? '\r\n' : ''}`;
  const filler = Buffer.alloc(body?.sent ?? 0, ' ');
  const hold = async (): Promise<void> => {
    while (!signal.aborted) {
      const socket: Socket = connect(Number(port), hostname);
      const closed = new Promise<void>((resolve) => {
        socket.once('close', () => {
          resolve();
        });
      });
      const stop = (): void => {
        socket.destroy();
      };
      signal.addEventListener('abort', stop, { once: true });
      socket.on('error', () => undefined).resume();
      socket.write(head);
      socket.write(filler);
      await closed;
      signal.removeEventListener('abort', stop);
      await sleep(50);
    }
  };
  await Promise.all(Array.from({ length: count }, hold));
}

function manyRecords(count: number): string {
  const experimentData = Array.from({ length: count }, (_, index) => ({
    polymerProperty: { polymerComponents: [{ polymerName: 'PVA', molecularWeight: 89, molecularWeightUnit: 'kDa' }] },
    solventProperty: { solventComponents: [{ solventName: 'WATER', volumeRatio: 100, volumeRatioUnit: '%' }] },
    solutionProperty: { concentration: 8 + index / 1000, concentrationUnit: 'wt%' },
    processParameter: { voltage: 12, voltageUnit: 'kV', flowRate: 0.5, flowRateUnit: 'ml/h' },
    fiberProperty: { fiberDiameter: 100 + index, fiberDiameterUnit: 'nm' },
  }));
  return JSON.stringify({ researchMetadata: { doi: '10.1000/attack' }, experimentData });
}
