import type { ComponentChildren } from 'preact';
import type { Loaded } from '../client/loaded.ts';
import { LinkButton } from '../parts/buttons.tsx';

interface Props {
  id: string;
  title: string;
  /** Buttons next to the title. */
  actions?: ComponentChildren;
  children: ComponentChildren;
}

export function Section({ id, title, actions, children }: Props) {
  return (
    <section id={id} aria-labelledby={`${id}-title`}>
      <div class="title">
        <h2 id={`${id}-title`}>{title}</h2>
        {actions}
      </div>
      {children}
    </section>
  );
}

/** Shows that a section is loading, or why loading failed. Renders nothing once it is loaded. */
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
