import { type RetryingClient, unexpectedResponse } from '@esd/dev-stack/retrying-client';

export interface Comparison {
  readonly differences: string[];
  compare(what: string, expected: unknown, actual: unknown): void;
}

/** Creates a comparison that prints one line per check. */
export function openComparison(say: (line: string) => void): Comparison {
  const differences: string[] = [];
  return {
    differences,
    compare: (what, expected, actual) => {
      const isSame = expected === actual;
      if (!isSame) differences.push(what);
      say(
        isSame
          ? `ok         ${what}: ${String(actual)}`
          : `DIFFERENT  ${what}: ${String(actual)}; expected ${String(expected)}`,
      );
    },
  };
}

/** Returns the JSON body of a response. Throws a StackError if the status is not 200. */
export async function getJson(client: RetryingClient, path: string): Promise<unknown> {
  const answer = await client.send('GET', path);
  if (answer.status !== 200) throw unexpectedResponse('GET', path, answer);
  return answer.body;
}
