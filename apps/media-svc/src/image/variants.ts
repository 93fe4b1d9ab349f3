/** The sizes in which an image is kept: as it is, and fitted into a square of so many pixels. */
export const VARIANTS = ['full', 'medium', 'thumb'] as const;

export type Variant = (typeof VARIANTS)[number];

/** Longest edge of the smaller ones, in pixels. */
export const EDGE: Readonly<Record<Exclude<Variant, 'full'>, number>> = { medium: 1_024, thumb: 256 };

/** The variant under which a size is stored: an image that is no larger is its own. */
export function storedVariant(variant: Variant, { width, height }: { width: number; height: number }): Variant {
  if (variant === 'full' || Math.max(width, height) > EDGE[variant]) return variant;
  return variant === 'thumb' ? storedVariant('medium', { width, height }) : 'full';
}

/** The key of an object. */
export function objectKey(folder: string, variant: Variant): string {
  return `${folder}/${variant}.png`;
}
