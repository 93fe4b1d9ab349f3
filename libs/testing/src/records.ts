/** Somebody who submits without an account. */
export const somebody = { name: 'Ada Example', email: 'ada@example.org', consentTerms: true };

/** A complete record of few words, of one polymer. */
export const recordOf = (polymerName: string) => ({
  polymerProperty: { polymerComponents: [{ polymerName }] },
  processParameter: { voltage: 12, voltageUnit: 'kV' },
});

/** A complete record of few words. */
export const smallRecord = recordOf('PVA');

/** A record that differs from others by its voltage in kV. */
export const recordAt = (voltage: number, polymerName = 'PVA') => ({
  ...recordOf(polymerName),
  processParameter: { voltage, voltageUnit: 'kV' },
});

/** A submission of `count` small records by somebody without an account. */
export function smallSubmission(count = 1): object {
  return { userMetadata: somebody, experimentData: Array.from({ length: count }, () => smallRecord) };
}
