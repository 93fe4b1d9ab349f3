import { createLog, type Logger } from './health/log.ts';

/** Ends one part of a service, or is such a part. */
export type Stop = (() => Promise<void> | void) | { stop: () => Promise<void> | void };

/** A service at work. */
export interface RunningService {
  /** Stops the parts in their order, all of them; throws an AggregateError of what did not stop well. */
  stop(): Promise<void>;
  /** Rejects when the service cannot go on. */
  failed: Promise<never>;
}

/** Does one thing on behalf of an operator, instead of serving. `args` are those behind the name of the command. */
export type Command<Config> = (config: Config, log: Logger, args: readonly string[]) => Promise<void>;

export interface ServiceDefinition<Config> {
  name: string;
  /** Throws an Error that says which setting is wrong. */
  loadConfig: () => Config;
  start: (config: Config, log: Logger) => Promise<RunningService>;
  commands?: Readonly<Record<string, Command<Config>>>;
}

/**
 * Runs a service: with a command among `args` that command alone, otherwise until SIGTERM or SIGINT. Returns the exit code of
 * the process: 0 when all went well, 1 when it did not, 2 for a command that there is not. Everything is logged,
 * but a wrong setting, which goes to standard error.
 */
export async function runService<Config extends { ESD_LOG_LEVEL: string }>(
  { name, loadConfig, start, commands = {} }: ServiceDefinition<Config>,
  [command, ...args]: readonly string[],
): Promise<number> {
  let config: Config;
  try {
    config = loadConfig();
  } catch (error) {
    console.error(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  }
  const log = createLog(name, config.ESD_LOG_LEVEL);
  if (command === undefined) return await runUntilSignal(() => start(config, log), log);
  const run = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (!run) {
    log.fatal({ command, commands: Object.keys(commands) }, 'there is no such command');
    return 2;
  }
  try {
    await run(config, log, args);
    return 0;
  } catch (err) {
    log.fatal({ err, command }, 'the command failed');
    return 1;
  }
}

/** Stops parts in their order, all of them; throws an AggregateError of what did not stop well. */
export async function stopAll(stops: readonly Stop[]): Promise<void> {
  const errors: unknown[] = [];
  for (const stop of stops) {
    try {
      await (typeof stop === 'function' ? stop() : stop.stop());
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, 'some parts did not stop well');
}

async function runUntilSignal(start: () => Promise<RunningService>, log: Logger): Promise<number> {
  // Before the start, so that a signal during it is not lost.
  const signaled = new Promise<string>((resolve) => {
    process.on('SIGTERM', resolve).on('SIGINT', resolve);
  });
  try {
    const service = await start();
    log.info('started');
    const signal = await Promise.race([signaled, service.failed]);
    log.info({ signal }, 'stopping');
    await service.stop();
    log.info('stopped');
    return 0;
  } catch (err) {
    log.fatal({ err }, 'the service could not start, go on or stop well');
    return 1;
  }
}
