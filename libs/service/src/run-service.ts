import { SettingsError } from './config.ts';
import { failureLog } from './health/failure-log.ts';
import { createLog, type Logger } from './health/log.ts';
import { startTraces, type TracesConfig } from './health/traces.ts';
import { type InternalPort, ownStatus } from './http/own-status.ts';

export type Stop = (() => Promise<void> | void) | { stop: () => Promise<void> | void };

export interface RunningService {
  /** Stops all parts in order. Throws an AggregateError if some fail to stop. */
  stop(): Promise<void>;
  /** Rejects if the service cannot continue. */
  failed: Promise<never>;
}

/** An operator command that runs instead of the service. `args` follow the name of the command. */
export type Command<Config> = (config: Config, log: Logger, args: readonly string[]) => Promise<void>;

export interface ServiceDefinition<Config> {
  name: string;
  loadConfig: () => Config;
  start: (config: Config, log: Logger) => Promise<RunningService>;
  commands?: Readonly<Record<string, Command<Config>>>;
}

/** Writes the result of a command to standard output, as one line of JSON. Lines of the log have a member `level`. */
export function printResult(result: object): void {
  process.stdout.write(`${JSON.stringify(result)}\n`);
}

/**
 * Runs a command, or without one the service until SIGTERM or SIGINT. Every service has the command `status`, which prints
 * the status of its running process. Returns the exit code: 0 for success, 1 for failure, 2 for an unknown command. Logs
 * everything except invalid settings, which go to standard error.
 */
export async function runService<Config extends InternalPort & { ESD_LOG_LEVEL: string } & TracesConfig>(
  { name, loadConfig, start, commands: own = {} }: ServiceDefinition<Config>,
  [command, ...args]: readonly string[],
): Promise<number> {
  let config: Config;
  try {
    config = loadConfig();
  } catch (error) {
    console.error(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  }
  if (command === undefined) return await runTraced(name, config, start);
  const log = createLog(name, config.ESD_LOG_LEVEL);
  const commands: typeof own = {
    ...own,
    status: async (of) => {
      printResult(await ownStatus(of));
    },
  };
  const run = Object.hasOwn(commands, command) ? commands[command] : undefined;
  if (!run) {
    log.fatal({ command, commands: Object.keys(commands) }, 'unknown command');
    return 2;
  }
  try {
    await run(config, log, args);
    return 0;
  } catch (err) {
    log.fatal({ err, command }, 'command failed');
    return 1;
  }
}

export async function stopAll(stops: readonly Stop[]): Promise<void> {
  const errors: unknown[] = [];
  for (const stop of stops) {
    try {
      await (typeof stop === 'function' ? stop() : stop.stop());
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, 'some parts failed to stop');
}

async function runTraced<Config extends { ESD_LOG_LEVEL: string } & TracesConfig>(
  name: string,
  config: Config,
  start: ServiceDefinition<Config>['start'],
): Promise<number> {
  const stopTraces = await startTraces(name, config, (error) => {
    reportDropped(error);
  });
  // Created afterwards, so that its lines contain the ids of spans.
  const log = createLog(name, config.ESD_LOG_LEVEL);
  const reportDropped = failureLog(log, 'traces are incomplete; check the collector at OTEL_EXPORTER_OTLP_ENDPOINT');
  try {
    return await runUntilSignal(() => start(config, log), log);
  } finally {
    await stopTraces();
  }
}

async function runUntilSignal(start: () => Promise<RunningService>, log: Logger): Promise<number> {
  // Registered before the start, so that no signal is lost.
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
    if (err instanceof SettingsError) log.fatal(err.message);
    else log.fatal({ err }, 'service failed');
    return 1;
  }
}
