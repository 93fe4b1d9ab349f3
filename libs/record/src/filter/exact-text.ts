/** The text by which a filter asks for one of some values of a category: `=A|B`, with `\|` and `\\` inside of a value. */
export function exactText(values: readonly string[]): string {
  return `=${values.map((value) => value.replaceAll(/[\\|]/g, String.raw`\$&`)).join('|')}`;
}
