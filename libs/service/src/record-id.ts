/** Reads the argument of a command. Throws an Error unless it is a record id. */
export function readRecordId(text = ''): number {
  const id = Number(text);
  if (!Number.isSafeInteger(id) || id < 1) throw new Error(`"${text}" is not a record id, such as 17`);
  return id;
}
