import { type Logger, pino } from 'pino';

export type { Logger };

/** The JSON log of a process, on standard output; credentials are never written. */
export function createLog(service: string, level: string): Logger {
  return pino({
    level,
    base: { service },
    timestamp: pino.stdTimeFunctions.isoTime,
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
  });
}
