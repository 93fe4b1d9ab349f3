/** Thrown for a sheet that cannot be read; the message is the end of a sentence. */
export class UnreadableSheet extends Error {
  constructor(what: string) {
    super(what);
    this.name = 'UnreadableSheet';
  }
}
