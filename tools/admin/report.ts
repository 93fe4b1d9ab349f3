/** The outcome of a command: one object for `--json`, the same as lines, and the exit code. */
export interface Report {
  json: object;
  lines: readonly string[];
  code: number;
}
