import type { ComponentChildren } from 'preact';
import { useExplore } from './state.ts';

export function WhileWaiting({ children }: { children: ComponentChildren }) {
  const { waiting } = useExplore();
  const isOld = waiting.value > 0;
  return (
    <div class={isOld ? 'is-old' : undefined} aria-busy={isOld}>
      {children}
    </div>
  );
}
