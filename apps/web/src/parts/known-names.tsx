import { type ComponentChildren, createContext } from 'preact';
import { useContext, useMemo } from 'preact/hooks';
import type { Known } from '@esd/pages/known';
import type { PaperSummary } from '@esd/record/papers/paper';
import type { NamedSubstance, SubstanceKey } from '@esd/record/reference/substance-names';

export interface KnownNames {
  readonly base: string;
  /** Returns what is known about a paper by its value of `doi`. */
  paperOf(doi: string): PaperSummary;
  /** Returns the names of a polymer or a solvent; the value itself if it is not in the lists. */
  substanceOf(key: SubstanceKey, value: string): Pick<NamedSubstance, 'name' | 'shortName'>;
}

const context = createContext<KnownNames>(namesOf('', { papers: [], substances: [] }));

/** Provides what is known about papers and substances to the components inside. */
export function KnownNames({ base, known, children }: { base: string; known: Known; children: ComponentChildren }) {
  const { papers, substances } = known;
  const value = useMemo(() => namesOf(base, { papers, substances }), [base, papers, substances]);
  return <context.Provider value={value}>{children}</context.Provider>;
}

export function useKnownNames(): KnownNames {
  return useContext(context);
}

export function namesOf(base: string, { papers, substances }: Known): KnownNames {
  const byDoi = new Map(papers.map((paper) => [paper.doi, paper]));
  const byValue = new Map(substances.map((substance) => [`${substance.key} ${substance.value}`, substance]));
  return {
    base,
    paperOf: (doi) => byDoi.get(doi) ?? { doi },
    substanceOf: (key, value) => byValue.get(`${key} ${value}`) ?? { name: value, shortName: value },
  };
}
