/** The sizes of an image: the original one, and those that fit into a square with the side `EDGE`. */
export const VARIANTS = ['full', 'medium', 'thumb'] as const;

export type Variant = (typeof VARIANTS)[number];

/** Maximum width and height of the smaller variants, in pixels. */
export const EDGE: Readonly<Record<Exclude<Variant, 'full'>, number>> = { medium: 1_024, thumb: 256 };

/** Returns the variant to use for a size: a variant is stored only if it is smaller than the next larger one. */
export function storedVariant(variant: Variant, { width, height }: { width: number; height: number }): Variant {
  if (variant === 'full' || Math.max(width, height) > EDGE[variant]) return variant;
  return variant === 'thumb' ? storedVariant('medium', { width, height }) : 'full';
}

export function objectKey(folder: string, variant: Variant): string {
  return `${folder}/${variant}.png`;
}
