/** Somebody who submits without an account. */
export const somebody = { name: 'Ada Example', email: 'ada@example.org', consentTerms: true };

/** A complete record of few words. */
export const smallRecord = {
  polymerProperty: { polymerComponents: [{ polymerName: 'PVA' }] },
  processParameter: { voltage: 12, voltageUnit: 'kV' },
};

/** A submission of `count` small records by somebody without an account. */
export function smallSubmission(count = 1): object {
  return { userMetadata: somebody, experimentData: Array.from({ length: count }, () => smallRecord) };
}
