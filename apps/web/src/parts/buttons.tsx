import type { ComponentProps } from 'preact';

/** `class` adds classes to that of the component. These buttons never submit their form. */
type Props = Omit<ComponentProps<'button'>, 'type' | 'class'> & { class?: string };

export function Button({ class: more, ...props }: Props) {
  return <button type="button" class={more === undefined ? 'button' : `button ${more}`} {...props} />;
}

/** A button that looks like a link, for an action next to or within a text. */
export function LinkButton({ class: more, ...props }: Props) {
  return <button type="button" class={more === undefined ? 'link' : `link ${more}`} {...props} />;
}
