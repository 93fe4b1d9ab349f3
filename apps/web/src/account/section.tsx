import type { ComponentChildren } from 'preact';

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
