import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';

interface Props {
  id: string;
  title: string;
  note: ComponentChildren;
  choices?: ComponentChildren;
  plot: ComponentChildren;
  legend?: ComponentChildren;
  /** Notes on omitted records and on the interpretation. */
  foot: string;
  table: ComponentChildren;
  /** Whether script runs. Without script, the table appears below the plot. */
  isLive: boolean;
}

export function PlotFrame({ id, title, note, choices, plot, legend, foot, table, isLive }: Props) {
  const [isTable, setTable] = useState(false);
  const [problem, setProblem] = useState('');
  const frame = useRef<HTMLElement>(null);
  /** Returns the drawing that is visible at the current width. */
  const drawing = (): SVGSVGElement | undefined =>
    [...(frame.current?.querySelectorAll<SVGSVGElement>('svg.plot') ?? [])].find((one) => one.clientWidth > 0);
  const save = async (as: 'saveSvg' | 'savePng'): Promise<void> => {
    const found = drawing();
    if (!found) return;
    setProblem('');
    const saving = await import('./save-plot.ts').catch(() => undefined);
    if (!saving) {
      setProblem('The image export could not be loaded. Check your connection and try again.');
      return;
    }
    try {
      await saving[as](found, title, foot);
    } catch {
      setProblem('The image could not be created. Save the plot as SVG instead.');
    }
  };
  return (
    <figure class="figure" ref={frame} aria-labelledby={id}>
      <figcaption>
        <h2 id={id}>{title}</h2>
        <p class="small muted">{note}</p>
      </figcaption>
      <div class="bar">
        {choices}
        <span class="switch needs-script" role="group" aria-label={`Show ${title.toLowerCase()} as`}>
          <button type="button" aria-pressed={!isTable} onClick={() => setTable(false)}>
            Chart
          </button>
          <button type="button" aria-pressed={isTable} onClick={() => setTable(true)}>
            Table
          </button>
        </span>
      </div>
      <div hidden={isTable}>
        {plot}
        {legend}
      </div>
      {(isTable || !isLive) && <div class={isTable ? undefined : 'without-script'}>{table}</div>}
      <p class="note-small muted">{foot}</p>
      {!isTable && (
        <p class="bar small needs-script">
          <button type="button" class="link" onClick={() => void save('saveSvg')}>
            Save as SVG
          </button>
          <button type="button" class="link" onClick={() => void save('savePng')}>
            Save as PNG
          </button>
          <span role="status">{problem}</span>
        </p>
      )}
    </figure>
  );
}
