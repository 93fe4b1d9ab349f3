import { type Logger, pino } from 'pino';

export type { Logger };

// Buffers lines for up to 200 ms. A crash of the process flushes them; kill -9 loses them.
const LINES_TOGETHER = { sync: false, minLength: 4_096, periodicFlush: 200 } as const;
// Shared by all loggers of the process, so that lines never mix.
const output = pino.destination(LINES_TOGETHER);

/** Creates the JSON log of a process on standard output; redacts credentials. */
export function createLog(service: string, level: string): Logger {
  return pino(
    {
      ...options(service, level),
      redact: {
        paths: [
          '*.password',
          '*.token',
          '*.refreshToken',
          '*.authorization',
          'req.headers.authorization',
          'req.headers.cookie',
        ],
        censor: '[secret]',
      },
    },
    output,
  );
}

/** Creates a log without redaction, which costs more than the line itself, for lines with fixed members. */
export function createLineLog(service: string, level: string): Logger {
  return pino(options(service, level), output);
}

function options(service: string, level: string) {
  return { level, base: { service }, timestamp: pino.stdTimeFunctions.isoTime };
}
