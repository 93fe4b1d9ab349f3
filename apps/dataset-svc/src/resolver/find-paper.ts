import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import { readCslItem } from '@esd/record/papers/csl';
import type { PaperFacts } from '@esd/record/papers/paper';
import { describe } from '@esd/record/validate/problems';
import { isPublicAddress, lookupPublic } from './public-address.ts';

const MAX_BYTES = 1024 * 1024;
const MAX_REDIRECTS = 5;
const TIMEOUT_MS = 10_000;
const CSL_TYPE = 'application/vnd.citationstyles.csl+json';

export interface Resolver {
  /** The address to which DOIs are appended, without a trailing slash. */
  url: string;
  userAgent: string;
  timeoutMs?: number;
  /** The addresses that redirects can lead to. Tests replace it, because they cannot reach a public address. */
  isPublic?: (address: string) => boolean;
  /** The certificates that https servers must have. Default: those of Node. */
  ca?: string;
}

/**
 * Requests the bibliographic facts of a DOI as CSL-JSON. Follows up to five redirects: to the resolver's own origin, or to https on a
 * public address. Throws an Error with the reason if there is no usable response of at most 1 MB within 10 s.
 */
export async function findPaper(resolver: Resolver, doi: string, stopping: AbortSignal): Promise<PaperFacts> {
  const { url, timeoutMs = TIMEOUT_MS } = resolver;
  const signal = AbortSignal.any([stopping, AbortSignal.timeout(timeoutMs)]);
  try {
    const text = await fetchText(
      resolver,
      new URL(`${url}/${doi.split('/').map(encodeURIComponent).join('/')}`),
      signal,
    );
    return readPaper(text, doi);
  } catch (error) {
    if (stopping.aborted || !signal.aborted) throw error;
    throw new Error(`There was no response within ${timeoutMs / 1000} s.`, { cause: error });
  }
}

async function fetchText(resolver: Resolver, first: URL, signal: AbortSignal): Promise<string> {
  const { origin } = first;
  let target = first;
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    const response = await send(resolver, target, target.origin === origin, signal);
    const { statusCode = 0, headers } = response;
    if (statusCode === 200) return readText(response);
    response.destroy();
    const { location } = headers;
    if (statusCode < 300 || statusCode > 399 || location === undefined) {
      throw new Error(`${target.host} responded with the status ${statusCode}.`);
    }
    if (!URL.canParse(location, target.href)) throw new Error(`${target.host} redirected to an invalid address.`);
    target = new URL(location, target.href);
    if (target.origin !== origin) checkTarget(target, resolver.isPublic);
  }
  throw new Error(`There were more than ${MAX_REDIRECTS} redirects.`);
}

/** Throws unless a redirect may lead to an address. Names are checked when they are resolved. */
function checkTarget({ protocol, hostname, host }: URL, isPublic = isPublicAddress): void {
  if (protocol !== 'https:') throw new Error(`A redirect to ${host} was refused, because it is not https.`);
  const address = hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(address) !== 0 && !isPublic(address)) {
    throw new Error(`A redirect to ${host} was refused, because it is not a public address.`);
  }
}

function send(resolver: Resolver, target: URL, isOwn: boolean, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const options = {
      signal,
      // A new connection for each request, so that no pooled connection skips the check of the address.
      agent: false,
      headers: { accept: CSL_TYPE, 'user-agent': resolver.userAgent },
      ...(isOwn ? {} : { lookup: lookupPublic(resolver.isPublic) }),
      ...(resolver.ca === undefined ? {} : { ca: resolver.ca }),
    };
    const sent = target.protocol === 'https:' ? requestHttps(target, options) : requestHttp(target, options);
    sent.once('response', resolve).once('error', reject).end();
  });
}

async function readText(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BYTES) {
      response.destroy();
      throw new Error('The response has more than 1 MB.');
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function readPaper(text: string, doi: string): PaperFacts {
  let item: unknown;
  try {
    item = JSON.parse(text);
  } catch (error) {
    throw new Error('The response is not JSON.', { cause: error });
  }
  const { paper, problems } = readCslItem(item);
  const [problem] = problems;
  if (problem) throw new Error(`The response is not usable: ${problem.message}`);
  if (paper.doi !== doi) throw new Error(`The response describes ${describe(paper.doi)}, not the requested DOI.`);
  return paper;
}
