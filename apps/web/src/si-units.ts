/** The conversion to an SI unit without prefix: value × factor + offset. */
interface ToSi {
  readonly unit: string;
  readonly factor: number;
  readonly offset?: number;
}

const SI: ReadonlyMap<string, ToSi> = new Map<string, ToSi>([
  ['kV', { unit: 'V', factor: 1_000 }],
  ['mL/h', { unit: 'm³/s', factor: 1 / 3.6e9 }],
  ['cm', { unit: 'm', factor: 0.01 }],
  ['mm', { unit: 'm', factor: 0.001 }],
  ['nm', { unit: 'm', factor: 1e-9 }],
  ['°C', { unit: 'K', factor: 1, offset: 273.15 }],
  ['kV/cm', { unit: 'V/m', factor: 1e5 }],
  ['g/m²', { unit: 'kg/m²', factor: 0.001 }],
  ['MPa', { unit: 'Pa', factor: 1e6 }],
  ['m²/g', { unit: 'm²/kg', factor: 1_000 }],
  ['cm²', { unit: 'm²', factor: 1e-4 }],
]);

/** Converts a value from the unit of a filter to SI units without prefixes. Returns it unchanged if there is no SI unit, such as for %. */
export function inSi(value: number, unit: string): { value: number; unit: string } {
  const to = SI.get(unit);
  return to ? { value: value * to.factor + (to.offset ?? 0), unit: to.unit } : { value, unit };
}
