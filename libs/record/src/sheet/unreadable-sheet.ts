/** A sheet that cannot be read; the message says what is wrong, as the end of a sentence. */
export class UnreadableSheet extends Error {
  constructor(what: string) {
    super(what);
    this.name = 'UnreadableSheet';
  }
}
