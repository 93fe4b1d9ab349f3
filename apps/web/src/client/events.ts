import type { TargetedMouseEvent, TargetedSubmitEvent } from 'preact';

/** Returns the handler of a form that script sends. */
export function onSubmit(act: (data: FormData) => void) {
  return (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    act(new FormData(event.currentTarget));
  };
}

/** Returns the handler of a link that script follows, except for clicks that open a new tab or window. */
export function onPlainClick(act: () => void) {
  return (event: TargetedMouseEvent<HTMLAnchorElement>): void => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    act();
  };
}
