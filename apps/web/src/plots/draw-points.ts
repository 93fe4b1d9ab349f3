import type { Mark } from './marks.ts';

/** Draws marks on a canvas in the style of the SVG paths of their class. Redraws when the theme changes, until the returned function is called. */
export function drawPoints(
  canvas: HTMLCanvasElement,
  frame: Element,
  { width, height }: { width: number; height: number },
  paths: ReadonlyMap<Mark, readonly string[]>,
): () => void {
  const draw = (): void => {
    const scale = devicePixelRatio;
    canvas.width = width * scale;
    canvas.height = height * scale;
    const context = canvas.getContext('2d');
    if (!context) return;
    context.scale(scale, scale);
    for (const [mark, parts] of paths) {
      const example = frame.querySelector(`.mark-${mark}`);
      if (!example) continue;
      const { fill, stroke, strokeWidth } = getComputedStyle(example);
      const path = new Path2D(parts.join(''));
      if (fill !== 'none') {
        context.fillStyle = fill;
        context.fill(path);
      }
      if (stroke !== 'none') {
        context.strokeStyle = stroke;
        context.lineWidth = Number.parseFloat(strokeWidth);
        context.stroke(path);
      }
    }
  };
  draw();
  const theme = new MutationObserver(draw);
  theme.observe(document.documentElement, { attributeFilter: ['data-theme'] });
  const dark = matchMedia('(prefers-color-scheme: dark)');
  dark.addEventListener('change', draw);
  return () => {
    theme.disconnect();
    dark.removeEventListener('change', draw);
  };
}
