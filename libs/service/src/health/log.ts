import { type Logger, pino } from 'pino';
import { spanIds } from './traces.ts';

export type { Logger };

const TOGETHER_MS = 200;
// Shared by all loggers of the process, so that lines never mix. A crash of the process writes buffered lines; kill -9 loses them.
const output = pino.destination({ sync: false, minLength: 4_096 });
const write = output.write.bind(output);
let timer: NodeJS.Timeout | undefined;
let isDue = false;
// The destination's own periodic flush also writes when there is no line: five times a second, in another thread.
output.write = (line) => {
  timer ??= setTimeout(() => {
    timer = undefined;
    isDue = true;
    output.flush();
  }, TOGETHER_MS).unref();
  return write(line);
};
// A flush during a write does nothing, so it is repeated after the write.
output.on('drain', () => {
  if (!isDue) return;
  isDue = false;
  output.flush();
});

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
  const mixin = spanIds();
  return { level, base: { service }, timestamp: pino.stdTimeFunctions.isoTime, ...(mixin ? { mixin } : {}) };
}
