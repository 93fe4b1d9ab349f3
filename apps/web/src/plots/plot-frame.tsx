import type { ComponentChildren } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { savePng, saveSvg } from './save-plot.ts';

interface Props {
  id: string;
  title: string;
  /** One line that says on how many records it stands. */
  note: ComponentChildren;
  /** What chooses axes and colors. */
  choices?: ComponentChildren;
  plot: ComponentChildren;
  legend?: ComponentChildren;
  /** What is not shown, and what to mind. */
  foot: string;
  /** The same in words. */
  table: ComponentChildren;
  /** Whether script runs; without, the table stands below the plot. */
  isLive: boolean;
}

/** A plot with all that belongs to it: title, n, choices, legend, notes, the table behind it, and ways to take it along. */
export function PlotFrame({ id, title, note, choices, plot, legend, foot, table, isLive }: Props) {
  const [isTable, setTable] = useState(false);
  const [hasFailed, setFailed] = useState(false);
  const frame = useRef<HTMLElement>(null);
  /** The drawing that is to be seen at this width. */
  const drawing = (): SVGSVGElement | undefined =>
    [...(frame.current?.querySelectorAll<SVGSVGElement>('svg.plot') ?? [])].find((one) => one.clientWidth > 0);
  const png = async (): Promise<void> => {
    const found = drawing();
    if (!found) return;
    try {
      setFailed(false);
      await savePng(found, title, foot);
    } catch {
      setFailed(true);
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
          <button
            type="button"
            class="link"
            onClick={() => {
              const found = drawing();
              if (found) saveSvg(found, title, foot);
            }}
          >
            Save as SVG
          </button>
          <button type="button" class="link" onClick={() => void png()}>
            Save as PNG
          </button>
          {hasFailed && <span role="status">The picture could not be made. Save it as SVG.</span>}
        </p>
      )}
    </figure>
  );
}
