import { type Mark, markClass } from './marks.ts';

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
    for (const [mark, layers] of paths) {
      const example = frame.querySelector(`.points .${markClass(mark)}`);
      if (!example) continue;
      const { fill, fillOpacity, stroke, strokeWidth } = getComputedStyle(example);
      context.fillStyle = fill;
      context.strokeStyle = stroke;
      context.lineWidth = Number.parseFloat(strokeWidth);
      for (const layer of layers) {
        const path = new Path2D(layer);
        context.globalAlpha = Number(fillOpacity);
        if (fill !== 'none') context.fill(path);
        context.globalAlpha = 1;
        if (stroke !== 'none') context.stroke(path);
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
