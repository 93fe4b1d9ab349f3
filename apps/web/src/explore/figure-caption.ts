import { LATEST } from '@esd/pages/explore-view';
import { countText, dateText, numberText } from '../format.ts';
import { filterWords } from './chips.ts';
import type { Explore } from './state.ts';

/** Returns the caption of a saved figure: the filter, the numbers of experiments and papers, the notes of the plot, and its source. */
export function figureCaption(explore: Explore, plotted: number, notes: string): readonly string[] {
  const { view, data, page, href } = explore;
  const { facts } = page;
  const words = filterWords(view);
  const selection = words === '' ? 'All experiments' : `${words.charAt(0).toUpperCase()}${words.slice(1)}`;
  const papers = data.summary ? ` from ${countText(data.summary.papers, 'paper')}` : '';
  const version = view.version === LATEST ? 'latest dataset' : `release ${view.version}`;
  const address = new URL(href(view), location.href).href;
  return [
    `${selection}. n = ${numberText(plotted)} of ${countText(data.total, 'experiment')}${papers}.`,
    notes,
    `Source: ${facts.title}, ${version}, dataset revision ${data.revision}, ${dateText(new Date().toISOString())}, license ${facts.license}, ${address}`,
  ];
}
