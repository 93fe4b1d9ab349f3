/** A value as JSON for people and programs: indented, with a line break at the end. */
export function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}
