import type { ComponentType } from 'preact';
import type { Tab } from '@esd/pages/explore-view';
import { loaded } from '../client/load-script.ts';

const RARE = ['coverage', 'papers', 'nearest', 'compare'] as const;

/** The views that the browser loads as a separate script on first use: the tabs in RARE, and the contents of the popovers. */
export interface RareViews extends Readonly<Record<(typeof RARE)[number], ComponentType>> {
  readonly download: ComponentType<{ isOpen: boolean }>;
  readonly cite: ComponentType<{ isOpen: boolean }>;
}

let views: RareViews | undefined;
let loadViews: (() => Promise<RareViews>) | undefined;

/** Sets the views (on the server) or the function that loads them (in the browser). */
export function provideRareViews(source: RareViews | (() => Promise<RareViews>)): void {
  if (typeof source === 'function') loadViews = source;
  else views = source;
}

/** Returns the views if they are loaded. */
export function rareViews(): RareViews | undefined {
  return views;
}

/** Loads the views. Throws RequestError if that fails. */
export async function loadRareViews(): Promise<void> {
  if (views === undefined && loadViews) views = await loaded(loadViews());
}

export function isLoaded(tab: Tab): boolean {
  return views !== undefined || rareName(tab) === undefined;
}

/** Loads the component of a rarely used tab. Throws RequestError if that fails. */
export async function loadTab(tab: Tab): Promise<void> {
  if (!isLoaded(tab)) await loadRareViews();
}

/** Returns the loaded component of a rarely used tab; undefined for the other tabs. */
export function rareTab(tab: Tab): ComponentType | undefined {
  const name = rareName(tab);
  return name === undefined ? undefined : views?.[name];
}

function rareName(tab: Tab): (typeof RARE)[number] | undefined {
  return RARE.find((name) => name === tab);
}
