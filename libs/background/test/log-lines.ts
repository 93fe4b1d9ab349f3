import { pino } from 'pino';

export function logLines() {
  const lines: string[] = [];
  const write = (text: string): void => {
    const { level, msg } = JSON.parse(text) as { level: number; msg: string };
    lines.push(`${pino.levels.labels[level] ?? ''}: ${msg}`);
  };
  return { log: pino({ level: 'debug' }, { write }), lines };
}
