// Semantic Versioning 2.0.0 without build metadata: numbers without leading zeros.
const NUMBER = '(?:0|[1-9]\\d{0,8})';
const PART = '(?:0|[1-9]\\d*|\\d*[A-Za-z-][0-9A-Za-z-]*)';
const IDENTIFIER = new RegExp(`^v${NUMBER}\\.${NUMBER}\\.${NUMBER}(?:-${PART}(?:\\.${PART})*)?$`);
const LONGEST = 64;

/** Whether a text is an identifier of a release: `vMAJOR.MINOR.PATCH`, with an optional pre-release as in `v1.0.0-rc.1`. */
export function isReleaseIdentifier(text: string): boolean {
  return text.length <= LONGEST && IDENTIFIER.test(text);
}
