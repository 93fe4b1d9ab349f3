import type { Blob } from './image.store.ts';

/** The sizes of an image: the original one, and those that fit into a square with the side `EDGE`. */
export const VARIANTS = ['full', 'medium', 'thumb'] as const;

export type Variant = (typeof VARIANTS)[number];

/** Maximum width and height of the smaller variants, in pixels. */
export const EDGE: Readonly<Record<Exclude<Variant, 'full'>, number>> = { medium: 1_024, thumb: 256 };

/**
 * Returns the variant to use for a size. A variant is stored only if it is smaller than the next larger one, or if it is the
 * one that stretches the contrast.
 */
export function storedVariant(variant: Variant, image: Pick<Blob, 'width' | 'height' | 'stretched'>): Variant {
  if (variant === 'full' || Math.max(image.width, image.height) > EDGE[variant]) return variant;
  return variant === 'thumb' ? storedVariant('medium', image) : image.stretched ? 'medium' : 'full';
}

export function objectKey(folder: string, variant: Variant): string {
  return `${folder}/${variant}.png`;
}
