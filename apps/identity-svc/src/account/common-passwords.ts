import { dictionary } from '@zxcvbn-ts/language-common';

const common = new Set(dictionary['passwords-common'].map((password) => password.toLowerCase()));

/** Whether a password, in any case, is on the list of the most common ones. */
export function isCommonPassword(password: string): boolean {
  return common.has(password.toLowerCase());
}
