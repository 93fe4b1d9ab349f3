import type { Logger } from './log.ts';

/** Ends one part of a process; called in the order given, each once. */
export type Stop = () => Promise<void> | void;

/**
 * Runs a process until SIGTERM or SIGINT, then stops its parts in order and exits: 0 when all ended well.
 * What `start` throws is logged and ends the process with 1.
 */
export function runProcess(log: Logger, start: () => Promise<Stop[]>): void {
  let stopping = false;
  const stops = start();
  const stop = (signal: string): void => {
    if (stopping) return;
    stopping = true;
    log.info({ signal }, 'stopping');
    void (async () => {
      let code = 0;
      for (const end of await stops) {
        try {
          await end();
        } catch (err) {
          code = 1;
          log.error({ err }, 'a part did not stop well');
        }
      }
      log.info('stopped');
      process.exit(code);
    })();
  };
  process.on('SIGTERM', stop);
  process.on('SIGINT', stop);
  stops.then(
    () => {
      log.info('started');
    },
    (err: unknown) => {
      log.fatal({ err }, 'could not start');
      process.exit(1);
    },
  );
}
