import { type RetryingClient, refused } from '@esd/dev-stack/retrying-client';

/** What was compared, and what of it was not as it should be. */
export interface Comparison {
  readonly differences: string[];
  compare(what: string, expected: unknown, actual: unknown): void;
}

/** Compares one thing after the other; `say` takes a line for each. */
export function openComparison(say: (line: string) => void): Comparison {
  const differences: string[] = [];
  return {
    differences,
    compare: (what, expected, actual) => {
      const isSame = expected === actual;
      if (!isSame) differences.push(what);
      say(
        isSame
          ? `as it should be  ${what}: ${String(actual)}`
          : `DIFFERENT        ${what}: ${String(actual)}, not ${String(expected)}`,
      );
    },
  };
}

/** The body of an answer. Throws a StackError when there is none. */
export async function getJson(client: RetryingClient, path: string): Promise<unknown> {
  const answer = await client.send('GET', path);
  if (answer.status !== 200) throw refused('GET', path, answer);
  return answer.body;
}
