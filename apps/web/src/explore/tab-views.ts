import type { ComponentType } from 'preact';
import type { Tab } from '@esd/pages/explore-view';
import { loaded } from '../client/load-script.ts';

/** The components of the rarely used tabs. The browser loads them as a separate script on first use. */
export type RareTabs = Readonly<Record<(typeof RARE)[number], ComponentType>>;

const RARE = ['coverage', 'papers', 'nearest', 'compare'] as const;
let views: RareTabs | undefined;
let loadViews: (() => Promise<RareTabs>) | undefined;

/** Sets the components (on the server) or the function that loads them (in the browser). */
export function provideRareTabs(found: RareTabs | (() => Promise<RareTabs>)): void {
  if (typeof found === 'function') loadViews = found;
  else views = found;
}

export function isLoaded(tab: Tab): boolean {
  return views !== undefined || rareName(tab) === undefined;
}

/** Loads the component of a rarely used tab. Throws RequestError if that fails. */
export async function loadTab(tab: Tab): Promise<void> {
  if (isLoaded(tab)) return;
  if (loadViews) views = await loaded(loadViews());
}

/** Returns the loaded component of a rarely used tab; undefined for the other tabs. */
export function rareTab(tab: Tab): ComponentType | undefined {
  const name = rareName(tab);
  return name === undefined ? undefined : views?.[name];
}

function rareName(tab: Tab): (typeof RARE)[number] | undefined {
  return RARE.find((one) => one === tab);
}
