import { useEffect, useMemo } from 'preact/hooks';
import { storedTexts, storeText } from '../client/stored-text.ts';
import { colorOfMark, COLORS } from './marks.ts';

/** The marks of the named categories of a plot. */
export type NameMarks = ReadonlyMap<string, number>;

const ALL = Array.from({ length: COLORS * COLORS }, (_, at) => at + 1);

/**
 * Assigns a mark to each of at most five names. A known name keeps its mark. Another name gets a free one, in a color that no other of
 * the names has if there is one. If no mark is free, it gets that of a known name that is not among them.
 */
export function assignMarks(names: readonly string[], known: NameMarks): NameMarks {
  const marks = new Map<string, number>();
  for (const name of names) {
    const mark = known.get(name);
    if (mark !== undefined) marks.set(name, mark);
  }
  const taken = new Set(known.values());
  for (const name of names) {
    if (marks.has(name)) continue;
    const shown = [...marks.values()];
    const free = ALL.filter((mark) => !taken.has(mark));
    const candidates = free.length > 0 ? free : ALL.filter((mark) => !shown.includes(mark));
    const colors = new Set(shown.map(colorOfMark));
    const mark = candidates.find((candidate) => !colors.has(colorOfMark(candidate))) ?? candidates[0] ?? 0;
    marks.set(name, mark);
    taken.add(mark);
  }
  return marks;
}

/**
 * Assigns marks to names that remain the same for the session of the browser, also after changes of the filter. `category` separates the
 * names of different categories. Before script runs, the marks follow the order of the names, as on the server.
 */
export function useNameMarks(category: string, names: readonly string[], isLive: boolean): NameMarks {
  const key = `esd-marks-${category}`;
  const marks = useMemo(() => assignMarks(names, isLive ? storedMarks(key) : new Map()), [key, names, isLive]);
  useEffect(() => {
    if (!isLive) return;
    const reused = new Set(marks.values());
    const others = [...storedMarks(key)].filter(([, mark]) => !reused.has(mark));
    const texts = [...others, ...marks].map(([name, mark]) => [name, String(mark)] as const);
    storeText(key, JSON.stringify(Object.fromEntries(texts)), 'sessionStorage');
  }, [key, marks, isLive]);
  return marks;
}

function storedMarks(key: string): NameMarks {
  return new Map(
    Object.entries(storedTexts(key, 'sessionStorage')).flatMap(([name, text]) => {
      const mark = ALL.find((candidate) => String(candidate) === text);
      return mark === undefined ? [] : [[name, mark] as const];
    }),
  );
}
