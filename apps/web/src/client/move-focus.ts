/** Moves the focus. When the element with the focus disappears, browsers lose the focus, and keyboard users start at the top again. */

/** The id of an element that may appear later, or an element. */
type FocusTarget = string | Element | null | undefined;

const CONTROLS =
  'a[href], button:not(:disabled), input:not(:disabled, [type="hidden"]), select:not(:disabled), textarea:not(:disabled), summary, [tabindex="0"]';
/** The items of lists that users can remove. */
const ITEMS = 'li, tr, th[scope="col"], .chip';
const PARTS = 'section, article, fieldset, details, nav';
const HEADINGS = 'h1, h2, h3, legend, summary';

/** The elements that get the focus when the focused one disappears, the best one first. */
let places: readonly [Element, ...FocusTarget[]] | readonly [] = [];
/** Ends the wait for a target. */
let waiting: AbortController | undefined;

/**
 * Moves the focus to the first target that exists. Without one, the function waits until the page adds a target, or until the user acts.
 * A target without a tab stop, such as a heading, becomes focusable. A section passes the focus on to its heading.
 */
export function moveFocus(...targets: readonly FocusTarget[]): void {
  waiting?.abort();
  if (targets.some(take) || targets.every((target) => target === undefined || target === null)) return;
  const wait = new AbortController();
  waiting = wait;
  const { signal } = wait;
  const observer = new MutationObserver(() => {
    if (targets.some(take)) wait.abort();
  });
  observer.observe(document.body, { childList: true, subtree: true, attributes: true });
  signal.addEventListener('abort', () => observer.disconnect());
  for (const type of ['keydown', 'pointerdown']) {
    document.addEventListener(type, () => wait.abort(), { signal });
  }
}

/** Remembers the focused element. The returned function moves the focus back to it or, if it is gone, to what is next to it. */
export function returnFocus(): () => void {
  const before = places;
  return () => moveFocus(...before);
}

/** Keeps the focus in its place: when its element disappears, the focus moves as after removing an item. Runs once per page. */
export function keepFocus(): void {
  document.addEventListener('focusin', ({ target }) => {
    if (target instanceof Element) places = [target, ...placesAround(target)];
  });
  // A click outside of all controls removes the focus on purpose.
  document.addEventListener('pointerdown', () => (places = []));
  new MutationObserver(() => {
    const [last] = places;
    if (last === undefined || document.activeElement !== document.body || !document.hasFocus()) return;
    // A control that is disabled while it works gets the focus back.
    if (last.isConnected) take(last);
    else [...places, document.querySelector('main h1')].some(take);
  }).observe(document.body, { childList: true, subtree: true, attributes: true, attributeFilter: ['disabled'] });
}

/** Focuses an element, and returns whether it has the focus. */
function take(target: FocusTarget): boolean {
  const named = typeof target === 'string' ? document.getElementById(target) : target;
  if (!named?.isConnected) return false;
  const labelledBy = named.matches('section') ? named.getAttribute('aria-labelledby') : null;
  const element = (labelledBy === null ? null : document.getElementById(labelledBy)) ?? named;
  if (!(element instanceof HTMLElement || element instanceof SVGElement)) return false;
  for (let around = element.closest('details'); around; around = around.parentElement?.closest('details') ?? null) {
    // The summary of a closed part is visible.
    if (element !== around.firstElementChild) around.open = true;
  }
  if (!element.matches(CONTROLS) && !element.hasAttribute('tabindex')) element.setAttribute('tabindex', '-1');
  element.focus();
  return document.activeElement === element;
}

/** Lists the same control in the next and in the previous item, and the headings around the element, the innermost first. */
function placesAround(element: Element): FocusTarget[] {
  const item = element.closest(ITEMS);
  const at = item === null ? -1 : [...item.querySelectorAll(CONTROLS)].indexOf(element);
  const controlOf = (other: Element | null | undefined): FocusTarget => {
    const controls = other?.matches(ITEMS) === true ? other.querySelectorAll(CONTROLS) : undefined;
    return controls?.[at] ?? controls?.[0];
  };
  const headings: Element[] = [];
  for (let part = element.closest(PARTS); part; part = part.parentElement?.closest(PARTS) ?? null) {
    headings.push(...part.querySelectorAll(`:scope > :is(${HEADINGS}), :scope > * > :is(${HEADINGS})`));
  }
  return [controlOf(item?.nextElementSibling), controlOf(item?.previousElementSibling), ...headings];
}
