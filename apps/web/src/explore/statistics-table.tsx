import { countText, numberText } from '../format.ts';
import { computedText, featureWords, figureText, keyName, orderedFeatures, shown, unitOf } from '../names.ts';
import { numberHeads, ScrollTable } from '../parts/scroll-table.tsx';
import { useExplore } from './state.ts';

export function StatisticsTable() {
  const { data, units } = useExplore();
  const all = orderedFeatures.map((feature) => ({ feature, figures: data.statistics?.statistics[feature] }));
  const rows = all.flatMap(({ feature, figures }) => (figures && figures.count > 0 ? [{ feature, figures }] : []));
  const empty = all.filter(({ figures }) => figures?.count === 0).map(({ feature }) => featureWords(feature));
  const odd = rows.filter(({ figures }) => figures.notConvertible > 0);
  return (
    <section class="part" aria-labelledby="statistics">
      <h2 id="statistics">Statistics</h2>
      <p class="small muted">Values of the matching experiments.</p>
      <ScrollTable
        labelledBy="statistics"
        heads={['Quantity', ...numberHeads('n', 'Missing', 'Min', '25%', 'Median', '75%', 'Max')]}
      >
        {rows.map(({ feature, figures }) => (
          <tr key={feature}>
            <th scope="row">
              {keyName(feature)} <span class="muted">({unitOf(feature, units)})</span>
            </th>
            <td class="number">{numberText(figures.count)}</td>
            <td class="number">{numberText(figures.missing)}</td>
            {([figures.min, figures.q25, figures.median, figures.q75, figures.max] as const).map((value, at) => (
              <td key={at} class={at === 2 ? 'number strong' : 'number'}>
                {value === null
                  ? '–'
                  : (at === 0 || at === 4 ? figureText : computedText)(shown(feature, value, units))}
              </td>
            ))}
          </tr>
        ))}
      </ScrollTable>
      {odd.length > 0 && (
        <p class="note-small muted">
          Excluded because the unit cannot be converted:{' '}
          {odd
            .map(({ feature, figures }) => `${countText(figures.notConvertible, 'value')} of ${featureWords(feature)}`)
            .join(', ')}
          .
        </p>
      )}
      {empty.length > 0 && (
        <p class="note-small muted">Not reported by any of these experiments: {empty.join(', ')}.</p>
      )}
    </section>
  );
}
