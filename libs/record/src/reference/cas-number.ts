const FORM = /^([1-9]\d{1,6})-(\d{2})-(\d)$/;

/**
 * Returns whether a text is a CAS Registry Number. Check digit: the sum of the other digits, each times its position
 * from the right, modulo 10 (CAS, "Check Digit Verification of CAS Registry Numbers").
 */
export function isCasNumber(text: string): boolean {
  const match = FORM.exec(text);
  if (!match) return false;
  const digits = [...`${match[1] ?? ''}${match[2] ?? ''}`].reverse();
  const sum = digits.reduce((total, digit, index) => total + Number(digit) * (index + 1), 0);
  return sum % 10 === Number(match[3]);
}
