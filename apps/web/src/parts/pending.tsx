import type { Loaded } from '../client/loaded.ts';
import { LinkButton } from './buttons.tsx';

/** Shows that data is loading, or why loading failed. Renders nothing once it is loaded. */
export function Pending<Value>({ of: { value, problem, reload } }: { of: Loaded<Value> }) {
  if (problem.value !== undefined) {
    return (
      <p class="note bad" role="alert">
        {problem} <LinkButton onClick={() => void reload()}>Try again</LinkButton>
      </p>
    );
  }
  return value.value === undefined ? <p class="muted">Loading…</p> : null;
}
