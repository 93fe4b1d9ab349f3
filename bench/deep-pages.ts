import type { Bench } from './bench.ts';
import { type Load, load, loadColumns } from './load.ts';
import type { Part } from './report.ts';

/** Position of a deep page, as a share of the matching records. */
const DEEP = 0.9;

/** Compares first pages with deep pages, without and with filters, one request at a time. Uses every skip once. */
export async function deepPages({ stack, dataset, seconds, rounds, meter }: Bench): Promise<Part> {
  const url = stack.url;
  const skip = Math.floor(DEEP * dataset.size());
  let moved = 0;
  const pagesFrom = (first: number, filter?: (number: number) => string): Promise<Load> =>
    load({
      url,
      connections: 1,
      seconds: seconds * rounds,
      meter,
      nextPath: () => {
        moved += 1;
        const query = new URLSearchParams({ skip: String(first + (moved % 1_000)) });
        if (filter) query.set('filter', filter(moved));
        return `/public/dataset?${query.toString()}`;
      },
    });
  const one = (): string => '{"voltageMin":0}';
  const each = (number: number): string => JSON.stringify({ voltageMin: 0, fiberDiameterMin: number / 1e9 });
  const matching = async (filter: string): Promise<number> => Math.floor(DEEP * (await total(url, filter)));
  const deepOne = await matching(one());
  const deepEach = await matching(each(1));
  const pairs = [
    { pages: 'without a filter', first: await pagesFrom(0), deep: await pagesFrom(skip), skip },
    {
      pages: 'with one filter',
      first: await pagesFrom(0, one),
      deep: await pagesFrom(deepOne, one),
      skip: deepOne,
    },
    {
      pages: 'each with a new filter',
      first: await pagesFrom(0, each),
      deep: await pagesFrom(deepEach, each),
      skip: deepEach,
    },
  ];
  return {
    title: `Deep pages, ${dataset.size()} records`,
    notes: [
      'Pages of 100, one at a time. Each request adds to the given skip, so that no page is read twice. The filters match most records.',
    ],
    rows: pairs.flatMap(({ pages, first, deep, skip: from }) =>
      [
        { skip: 0, load: first },
        { skip: from, load: deep },
      ].map(({ skip: at, load: its }) => ({
        pages,
        skip: at,
        'p50, multiple of skip 0': its.p50 / first.p50,
        ...loadColumns(its),
      })),
    ),
    targets: pairs.map(({ pages, first, deep, skip: from }) => ({
      what: `deep page (skip ${from}) ${pages}, p50, multiple of page 1`,
      measured: deep.p50 / first.p50,
      atMost: 1.5,
    })),
  };
}

async function total(url: string, filter: string): Promise<number> {
  const response = await fetch(`${url}/public/dataset?limit=1&filter=${encodeURIComponent(filter)}`);
  const page: unknown = await response.json();
  if (typeof page !== 'object' || page === null || !('total' in page)) throw new Error(`${filter}: ${response.status}`);
  return Number(page.total);
}
