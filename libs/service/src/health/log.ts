import { type Logger, pino } from 'pino';

export type { Logger };

// A line waits up to this long for others to be written with; a crash of the process writes them, kill -9 loses them.
const LINES_TOGETHER = { sync: false, minLength: 4_096, periodicFlush: 200 } as const;
// One for all loggers of the process, so that lines never mix.
const output = pino.destination(LINES_TOGETHER);

/** The JSON log of a process, on standard output; credentials are never written. */
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

/** The same without the search for credentials, which costs more than the line: for lines with a fixed set of members. */
export function createLineLog(service: string, level: string): Logger {
  return pino(options(service, level), output);
}

function options(service: string, level: string) {
  return { level, base: { service }, timestamp: pino.stdTimeFunctions.isoTime };
}
