/** The stored sizes of an image: unchanged, and fitted into a square with `EDGE` pixels. */
export const VARIANTS = ['full', 'medium', 'thumb'] as const;

export type Variant = (typeof VARIANTS)[number];

/** Maximum edge of the smaller variants, in pixels. */
export const EDGE: Readonly<Record<Exclude<Variant, 'full'>, number>> = { medium: 1_024, thumb: 256 };

/** Returns the variant stored for a size; a variant that would not be smaller than the next larger one is not stored. */
export function storedVariant(variant: Variant, { width, height }: { width: number; height: number }): Variant {
  if (variant === 'full' || Math.max(width, height) > EDGE[variant]) return variant;
  return variant === 'thumb' ? storedVariant('medium', { width, height }) : 'full';
}

export function objectKey(folder: string, variant: Variant): string {
  return `${folder}/${variant}.png`;
}
