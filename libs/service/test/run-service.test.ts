import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, test } from '@jest/globals';

/** Runs a service with the given code in a process; returns its log messages and exit code. */
async function run(code: { start?: string; commands?: string }, args: string[] = [], signalAt?: string) {
  const program = `
    import { runService, stopAll } from './src/run-service.ts';
    import { SettingsError } from './src/config.ts';
    setInterval(() => undefined, 1_000);
    const never = new Promise(() => undefined);
    process.exit(await runService({
      name: 'test',
      loadConfig: () => ({ ESD_LOG_LEVEL: 'info', OTEL_EXPORTER_OTLP_ENDPOINT: '' }),
      start: ${code.start ?? 'async () => ({ stop: async () => undefined, failed: never })'},
      commands: { ${code.commands ?? ''} },
    }, process.argv.slice(1)));`;
  const cwd = join(import.meta.dirname, '..');
  const child = spawn(process.execPath, ['--input-type=module', '-e', program, '--', ...args], {
    cwd,
    env: { ...process.env, NODE_OPTIONS: '' },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const messages: string[] = [];
  const exited = new Promise<number | null>((resolve) => child.once('close', resolve));
  for await (const line of createInterface(child.stdout)) {
    const { msg } = JSON.parse(line) as { msg: string };
    messages.push(msg);
    if (msg === signalAt) child.kill('SIGTERM');
  }
  return { messages, code: await exited };
}

test('a service runs until a signal and stops its parts in order, even if one of them fails', async () => {
  const start = `async (config, log) => ({
    failed: never,
    stop: () => stopAll([
      () => log.info('first'),
      { stop: async () => { throw new Error('failed'); } },
      async () => log.info('third'),
    ]),
  })`;
  expect(await run({ start }, [], 'started')).toEqual({
    messages: ['started', 'stopping', 'first', 'third', 'service failed'],
    code: 1,
  });
});

test('a service that stops without errors exits with 0', async () => {
  expect(await run({}, [], 'started')).toEqual({ messages: ['started', 'stopping', 'stopped'], code: 0 });
});

test('a service that cannot start or continue exits with 1', async () => {
  expect((await run({ start: `async () => { throw new Error('no'); }` })).code).toBe(1);
  const failing = `async () => ({ stop: async () => undefined, failed: Promise.reject(new Error('no')) })`;
  expect((await run({ start: failing })).code).toBe(1);
});

test('a setting that is wrong at the start is reported in one line without a stack', async () => {
  const start = `async () => { throw new SettingsError('ESD_TLS_KEY_FILE must name a file.'); }`;
  expect(await run({ start })).toEqual({ messages: ['ESD_TLS_KEY_FILE must name a file.'], code: 1 });
});

test('a command runs instead of the service, with its arguments', async () => {
  const commands = `
    greet: async (config, log, args) => log.info(args.join(' and ')),
    fail: async () => { throw new Error('no'); },`;
  expect(await run({ commands }, ['greet', 'one', 'two'])).toEqual({ messages: ['one and two'], code: 0 });
  expect(await run({ commands }, ['fail'])).toEqual({ messages: ['command failed'], code: 1 });
  expect(await run({ commands }, ['toString'])).toEqual({ messages: ['unknown command'], code: 2 });
});
