/** Reads the requirements of a file in pip's format, each on one line with its hashes. */
export function requirementsOf(file: string): string[];
