import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { moveFocus } from '../client/move-focus.ts';
import { LinkButton } from './buttons.tsx';

interface Props {
  id: string;
  /** The text of the button. */
  text: string;
  title: string;
  /** More classes of the button. */
  class?: string;
  /** Called when the popover has opened or closed, also if it was opened before script ran. */
  onToggle?: (isOpen: boolean) => void;
  children: ComponentChildren;
}

/** A button that opens a native popover, which works without script. Closing it returns the focus to the button. */
export function Popover({ id, text, title, class: more = '', onToggle, children }: Props) {
  const button = useRef<HTMLButtonElement>(null);
  const popover = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const isSupported = CSS.supports('selector(:popover-open)');
    if (isSupported && popover.current?.matches(':popover-open') === true) onToggle?.(true);
    // oxlint-disable-next-line react/exhaustive-deps -- only when the page becomes interactive
  }, []);
  return (
    <>
      <button ref={button} type="button" class={`button ${more}`} popovertarget={id}>
        {text}
      </button>
      <div
        ref={popover}
        class="popover"
        id={id}
        popover="auto"
        role="dialog"
        aria-labelledby={`${id}-title`}
        tabIndex={-1}
        // oxlint-disable-next-line jsx-a11y/no-autofocus -- the focus moves into the popover when a user opens it
        autofocus
        onToggle={({ newState }) => {
          onToggle?.(newState === 'open');
          const { activeElement, body } = document;
          // Browsers return the focus unless it left the popover.
          if (newState === 'closed' && (activeElement === body || activeElement === null)) moveFocus(button.current);
        }}
      >
        <div class="bar spread">
          <h2 id={`${id}-title`}>{title}</h2>
          <LinkButton class="small" popovertarget={id} popovertargetaction="hide">
            Close
          </LinkButton>
        </div>
        {children}
      </div>
    </>
  );
}
