import { existsSync, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { StackError } from './stack-error.ts';
import type { Supervisor } from './supervisor.ts';

const SETTLE_MS = 150;

/**
 * Restarts the first replica of a service when its sources in apps/<name>/{src,migrations,seeds} change, and of all `services` when
 * libs/<name>/src changes. If a service fails to start, its error is printed and the next change restarts it. The returned function stops
 * watching and waits for a running restart.
 */
export function restartOnChange(
  supervisor: Supervisor,
  services: readonly string[],
  { checkout, signal, say }: { checkout: string; signal: AbortSignal; say: (line: string) => void },
): () => Promise<void> {
  const changed = new Set<string>();
  let timer: NodeJS.Timeout | undefined;
  let restarting: Promise<void> = Promise.resolve();

  const restartChanged = async (): Promise<void> => {
    const names = [...changed];
    changed.clear();
    await Promise.all(names.map((name) => restart(supervisor, name, signal, say)));
  };
  const onChange = (names: readonly string[]): void => {
    for (const name of names) changed.add(name);
    clearTimeout(timer);
    timer = setTimeout(() => {
      restarting = restarting.then(restartChanged);
    }, SETTLE_MS);
  };

  const watchers = [
    ...services.flatMap((name) =>
      ['src', 'migrations', 'seeds'].map((folder) => ({ folder: join(checkout, 'apps', name, folder), names: [name] })),
    ),
    ...readdirSync(join(checkout, 'libs')).map((lib) => ({
      folder: join(checkout, 'libs', lib, 'src'),
      names: services,
    })),
  ]
    .filter(({ folder }) => existsSync(folder))
    .map(({ folder, names }) => watch(folder, { recursive: true }, () => onChange(names)));
  return async () => {
    for (const watcher of watchers) watcher.close();
    clearTimeout(timer);
    await restarting;
  };
}

async function restart(
  supervisor: Supervisor,
  name: string,
  signal: AbortSignal,
  say: (line: string) => void,
): Promise<void> {
  const started = Date.now();
  try {
    const child = supervisor.child(name);
    await child.stop();
    await child.start(signal);
    say(`${name} restarted (${((Date.now() - started) / 1000).toFixed(1)} s)`);
  } catch (error) {
    if (signal.aborted) return;
    if (!(error instanceof StackError)) throw error;
    say(error.message);
  }
}
