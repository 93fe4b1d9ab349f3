import { AdminError, EXIT } from './admin-error.ts';
import type { Installation } from './installation.ts';

/** The output of a command of a service: its result, if it has one, and the messages of its log. */
export interface ServiceOutput {
  isDone: boolean;
  result: Record<string, unknown> | undefined;
  /** The text of other lines, such as reports. */
  lines: string[];
}

/** Runs a command in one replica of its service, or in the given one. Throws an AdminError if no replica runs. */
export async function runServiceCommand(
  installation: Installation,
  service: string,
  words: readonly string[],
  replica?: string,
): Promise<ServiceOutput> {
  const chosen = replica ?? (await installation.replicas(service))[0];
  if (chosen === undefined) throw new AdminError(EXIT.unreachable, `No replica of ${service} runs. Start it first.`);
  const { code, stdout, stderr } = await installation.run(chosen, service, words);
  const output: ServiceOutput = { isDone: code === 0, result: undefined, lines: [] };
  for (const line of `${stdout}\n${stderr}`.split('\n').filter((text) => text.trim() !== '')) {
    const json = objectIn(line);
    if (!json) output.lines.push(line);
    else if ('level' in json) output.lines.push(...messageOf(json));
    else output.result = json;
  }
  return output;
}

function objectIn(line: string): Record<string, unknown> | undefined {
  try {
    const json: unknown = JSON.parse(line);
    return typeof json === 'object' && json !== null ? Object.fromEntries(Object.entries(json)) : undefined;
  } catch {
    return undefined;
  }
}

const USUAL = ['level', 'time', 'service', 'msg', 'err', 'command'];

/** Returns the text of a line of the log; of a failed command, its error only. */
function messageOf(line: Record<string, unknown>): string[] {
  const { level, msg, err } = line;
  const error = typeof err === 'object' && err !== null && 'message' in err ? String(err.message) : undefined;
  if (typeof level !== 'number' || level < 30) return [];
  const members = Object.entries(line).filter(([name]) => !USUAL.includes(name));
  const details = members.map(
    ([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return [error ?? [String(msg), ...details].join(', ')];
}
