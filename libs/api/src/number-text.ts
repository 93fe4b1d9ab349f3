import { z } from 'zod';

const DIGITS = /^\d{1,16}$/;
const DECIMAL = /^-?\d{1,400}(?:\.\d{1,400})?(?:e[+-]?\d{1,3})?$/i;

/** Returns the schema of an integer from `min` to `max`, in digits only. */
export function integerText(min: number, max: number) {
  const text = z.string().transform((text, context) => {
    const value = Number(text);
    if (DIGITS.test(text) && value >= min && value <= max) return value;
    context.addIssue({ code: 'custom', message: `must be an integer from ${min} to ${max}` });
    return z.NEVER;
  });
  return text.meta({ type: 'integer', minimum: min, ...(max < Number.MAX_SAFE_INTEGER ? { maximum: max } : {}) });
}

export const numberText = z
  .string()
  .transform((text, context) => {
    const value = Number(text);
    if (DECIMAL.test(text) && Number.isFinite(value)) return value === 0 ? 0 : value;
    context.addIssue({ code: 'custom', message: 'must be a finite decimal number' });
    return z.NEVER;
  })
  .meta({ type: 'number' });

export const idText = integerText(1, Number.MAX_SAFE_INTEGER);
