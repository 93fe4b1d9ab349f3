import assert from 'node:assert/strict';
import { z } from 'zod';
import type { Answer } from './api.ts';
import { readiness } from './shapes.ts';

const errorItem = z.strictObject({
  path: z.string(),
  code: z.string().regex(/^[A-Z_]+$/),
  message: z.string().min(1),
  recordId: z.int().optional(),
  status: z.string().optional(),
  revision: z.int().optional(),
  rows: z.array(z.strictObject({ row: z.int(), cells: z.array(z.string()) })).optional(),
});

const errorBody = z.strictObject({
  success: z.literal(false),
  message: z.string().min(1),
  code: z.string(),
  requestId: z.uuid(),
  errors: z.array(errorItem).min(1).optional(),
  errorCount: z.int().optional(),
  missingFields: z.array(z.string()).min(1).optional(),
  withdrawn: z.strictObject({ at: z.iso.datetime(), reason: z.string(), versions: z.array(z.string()) }).optional(),
  // GET /ready lists the parts in its 503 too.
  ...readiness.partial().shape,
});

export type ErrorBody = z.output<typeof errorBody>;

// Internals that no response contains: stack traces, SQL, addresses of other processes.
const INNER = /\bat .+:\d+:\d+|\bselect\b.+\bfrom\b|127\.0\.0\.1|ECONN|node_modules|postgres|-svc/i;

/**
 * Checks the properties of every error (body, request id, headers of the status) and the status and code of this one. Returns the
 * body.
 */
export function expectError(answer: Answer, status: number, code: string, message?: RegExp): ErrorBody {
  assert.deepEqual([answer.status, answer.text.includes(`"${code}"`)], [status, true], answer.text);
  const body = errorBody.parse(answer.json);
  assert.equal(body.code, code);
  assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
  assert.equal(answer.headers.get('x-request-id'), body.requestId);
  assert.equal(answer.headers.get('cache-control'), 'no-store');
  assert.equal(answer.headers.get('etag'), null);
  assert.doesNotMatch(body.message, INNER);
  if (message) assert.match(body.message, message);
  if (status === 401) assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer/);
  if (status === 503) assert(Number(answer.headers.get('retry-after')) > 0);
  return body;
}
