import { readFileSync } from 'node:fs';

/**
 * Reads the requirements of a file in pip's format, each on one line with its hashes: `name==version --hash=sha256:… …`.
 *
 * @param {string} file
 * @returns {string[]}
 */
export function requirementsOf(file) {
  return readFileSync(file, 'utf8')
    .replaceAll(/\\\n\s*/g, '')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
}
