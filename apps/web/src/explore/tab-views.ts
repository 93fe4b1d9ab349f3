import type { ComponentType } from 'preact';
import type { Tab } from '@esd/pages/explore-view';
import { RequestError } from '../client/request.ts';

/** What is behind the tabs that few people open. In the browser it is a script of its own, which is loaded with the first of them. */
export type RareTabs = Readonly<Record<(typeof RARE)[number], ComponentType>>;

const RARE = ['coverage', 'papers', 'nearest', 'compare'] as const;
let views: RareTabs | undefined;
let loadViews: (() => Promise<RareTabs>) | undefined;

/** On the server they are there from the start; the browser has what loads them. */
export function provideRareTabs(found: RareTabs | (() => Promise<RareTabs>)): void {
  if (typeof found === 'function') loadViews = found;
  else views = found;
}

/** Whether there is nothing to load for a tab. */
export function isLoaded(tab: Tab): boolean {
  return views !== undefined || rareName(tab) === undefined;
}

/** Loads what a tab needs beside the script of the page. Throws RequestError where that cannot be loaded. */
export async function loadTab(tab: Tab): Promise<void> {
  if (isLoaded(tab)) return;
  if (loadViews) views = await loaded(loadViews());
}

/** Waits for a script. Throws RequestError where it cannot be loaded. */
export async function loaded<Module>(script: Promise<Module>): Promise<Module> {
  try {
    return await script;
  } catch {
    throw new RequestError(0, { message: 'This view could not be loaded. Check your connection and try again.' });
  }
}

/** What is behind a tab, as far as it is loaded; undefined for the tabs that everybody opens. */
export function rareTab(tab: Tab): ComponentType | undefined {
  const name = rareName(tab);
  return name === undefined ? undefined : views?.[name];
}

function rareName(tab: Tab): (typeof RARE)[number] | undefined {
  return RARE.find((one) => one === tab);
}
