/** The contact data of an anonymous submitter. */
export const anonymousSubmitter = { name: 'Ada Example', email: 'ada@example.org', consentTerms: true };

export const recordOf = (polymerName: string) => ({
  polymerProperty: { polymerComponents: [{ polymerName }] },
  processParameter: { voltage: 12, voltageUnit: 'kV' },
});

export const smallRecord = recordOf('PVA');

/** Returns a minimal complete record with this voltage in kV. */
export const recordAt = (voltage: number, polymerName = 'PVA') => ({
  ...recordOf(polymerName),
  processParameter: { voltage, voltageUnit: 'kV' },
});

export function smallSubmission(count = 1): object {
  return { userMetadata: anonymousSubmitter, experimentData: Array.from({ length: count }, () => smallRecord) };
}
