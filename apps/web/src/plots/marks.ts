/**
 * The mark of a name: 1 to 25, each a combination of one of five colors and one of five shapes, so that gray print and color blindness
 * do not hide it. 0 marks all other names, `none` a missing y value.
 */
export type Mark = number | 'none';

export const COLORS = 5;
const R = 3;

/** Returns the color of a mark, 1 to 5. The first five marks differ in color and in shape. */
export function colorOfMark(mark: number): number {
  return ((mark - 1) % COLORS) + 1;
}

export function markClass(mark: Mark): string {
  return `mark-${mark === 'none' || mark === 0 ? mark : colorOfMark(mark)}`;
}

function shapeOf(mark: Mark): Mark {
  if (mark === 'none' || mark === 0) return mark;
  const round = Math.floor((mark - 1) / COLORS);
  return ((colorOfMark(mark) - 1 + round) % COLORS) + 1;
}

export function markPath(mark: Mark, x: number, y: number): string {
  const [a, b] = [x.toFixed(1), y.toFixed(1)];
  switch (shapeOf(mark)) {
    case 2:
      return `M${(x - 2.6).toFixed(1)} ${(y - 2.6).toFixed(1)}h5.2v5.2h-5.2z`;
    case 3:
      return `M${a} ${(y - 3.6).toFixed(1)}l3.6 6.4h-7.2z`;
    case 4:
      return `M${a} ${(y - 4).toFixed(1)}l4 4l-4 4l-4 -4z`;
    case 5:
      return `M${a} ${(y + 3.6).toFixed(1)}l3.6 -6.4h-7.2z`;
    case 'none':
      return `M${(x - 2.6).toFixed(1)} ${(y - 2.6).toFixed(1)}l5.2 5.2m0 -5.2l-5.2 5.2`;
    default:
      return `M${(x - R).toFixed(1)} ${b}a${R} ${R} 0 1 0 ${2 * R} 0a${R} ${R} 0 1 0 ${-2 * R} 0z`;
  }
}
