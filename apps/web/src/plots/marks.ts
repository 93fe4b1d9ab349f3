/** The mark of a category by rank: 1 is the most frequent, 0 all others, `none` a missing y value. Shape and color both distinguish the marks. */
export type Mark = 0 | 1 | 2 | 3 | 4 | 5 | 'none';

const R = 3;

export function markPath(mark: Mark, x: number, y: number): string {
  const [a, b] = [x.toFixed(1), y.toFixed(1)];
  switch (mark) {
    case 0:
    case 1:
      return `M${(x - R).toFixed(1)} ${b}a${R} ${R} 0 1 0 ${2 * R} 0a${R} ${R} 0 1 0 ${-2 * R} 0z`;
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
  }
}
