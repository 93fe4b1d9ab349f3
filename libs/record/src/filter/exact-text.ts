/** Returns the filter text that matches any of the values exactly: `=A|B`, with `\|` and `\\` as escapes. */
export function exactText(values: readonly string[]): string {
  return `=${values.map((value) => value.replaceAll(/[\\|]/g, String.raw`\$&`)).join('|')}`;
}
