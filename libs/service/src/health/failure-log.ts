import { stdSerializers } from 'pino';
import type { Logger } from './log.ts';

const EVERY_MS = 60_000;
const FORGET_MS = 600_000;
const MAX_FAILURES = 100;

/** Reports a failure; `details` name what failed, for example an event. */
export type ReportFailure = (error: unknown, details?: object) => void;

/**
 * Creates the log of a place that retries. It logs a failure in full once, then once a minute with its count and without its
 * stack. Failures with other messages are other failures. A failure that did not occur for 10 minutes is new.
 */
export function failureLog(
  log: Logger,
  message: string,
  place: object = {},
  level: 'warn' | 'error' = 'warn',
): ReportFailure {
  // By message, oldest first.
  const known = new Map<string, { lastAt: number; loggedAt: number; count: number }>();
  return (error, details) => {
    const now = performance.now();
    const key = String(error);
    const repeated = known.get(key);
    if (repeated && now - repeated.lastAt < FORGET_MS) {
      repeated.lastAt = now;
      repeated.count += 1;
      if (now - repeated.loggedAt < EVERY_MS) return;
      log[level]({ ...place, ...details, error: withoutStack(error), count: repeated.count }, message);
      Object.assign(repeated, { loggedAt: now, count: 0 });
      return;
    }
    const [oldest] = known.keys();
    if (oldest !== undefined && known.size >= MAX_FAILURES) known.delete(oldest);
    known.set(key, { lastAt: now, loggedAt: now, count: 0 });
    log[level]({ ...place, ...details, err: error }, message);
  };
}

// Logged as `error`, because the serializer of `err` would add a stack.
function withoutStack(error: unknown): unknown {
  if (!Error.isError(error)) return error;
  const { stack: _, aggregateErrors: __, ...rest } = stdSerializers.err(error);
  return rest;
}
