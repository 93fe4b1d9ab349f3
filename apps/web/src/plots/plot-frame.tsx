import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { LinkButton } from '../parts/buttons.tsx';
import type { MmWidth, SavedFigure } from './save-plot.ts';

interface Props {
  id: string;
  title: string;
  note: ComponentChildren;
  choices?: ComponentChildren;
  /** The drawing, followed by its legend. */
  plot: ComponentChildren;
  /** The legend for files. */
  legend?: ComponentChildren;
  /** Notes on omitted records and on the interpretation. */
  foot: string;
  table: ComponentChildren;
  /** Whether script runs. Without script, the table appears below the plot. */
  isLive: boolean;
  /** The figure for files. Without it, the frame offers no files. */
  saved?: SavedFigure;
}

const WIDTHS: readonly (readonly [mm: MmWidth, text: string])[] = [
  [85, '85 mm (one column)'],
  [180, '180 mm (two columns)'],
];

export function PlotFrame({ id, title, note, choices, plot, legend, foot, table, isLive, saved }: Props) {
  const [isTable, setTable] = useState(false);
  return (
    <figure class="figure" aria-labelledby={id}>
      <figcaption>
        <div class="figure-title">
          <h2 id={id}>{title}</h2>
          <span class="switch needs-script" role="group" aria-label={`Show ${title.toLowerCase()} as`}>
            <button type="button" aria-pressed={!isTable} onClick={() => setTable(false)}>
              Chart
            </button>
            <button type="button" aria-pressed={isTable} onClick={() => setTable(true)}>
              Table
            </button>
          </span>
        </div>
        <p class="small muted">{note}</p>
      </figcaption>
      <div class="bar controls">{choices}</div>
      <div hidden={isTable}>{plot}</div>
      {(isTable || !isLive) && <div class={isTable ? undefined : 'without-script'}>{table}</div>}
      <p class="note-small muted">{foot}</p>
      {saved && <Files title={title} legend={legend} saved={saved} />}
    </figure>
  );
}

/** Buttons that save the figure and its data. The script that does so is loaded on first use. */
function Files({ title, legend, saved }: { title: string; legend: ComponentChildren; saved: SavedFigure }) {
  const [mm, setMm] = useState<MmWidth>(85);
  const [problem, setProblem] = useState('');
  const save = async (as: 'svg' | 'png' | 'csv'): Promise<void> => {
    setProblem('');
    const loaded = await Promise.all([import('./save-plot.ts'), saved.file(mm)]).catch(() => undefined);
    if (!loaded) {
      setProblem('The image export could not be loaded. Check your connection and try again.');
      return;
    }
    const [saving, { data, ...figure }] = loaded;
    try {
      if (as === 'csv') saving.saveData(title, data);
      else await saving.saveFigure(as, mm, { title, legend, ...figure });
    } catch {
      setProblem('The image could not be created. Save the plot as SVG instead.');
    }
  };
  return (
    <p class="bar small needs-script">
      <select
        aria-label="Width of the saved figure"
        onChange={({ currentTarget }) => setMm(currentTarget.value === '180' ? 180 : 85)}
      >
        {WIDTHS.map(([width, text]) => (
          <option key={width} value={width} selected={width === mm}>
            {text}
          </option>
        ))}
      </select>
      <LinkButton onClick={() => void save('svg')}>Save as SVG</LinkButton>
      <LinkButton onClick={() => void save('png')}>Save as PNG</LinkButton>
      <LinkButton onClick={() => void save('csv')}>Data of this plot (CSV)</LinkButton>
      <span role="status">{problem}</span>
    </p>
  );
}
