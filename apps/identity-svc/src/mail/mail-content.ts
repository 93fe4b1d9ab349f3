/** The parts of a mail, in the order in which they are read. */
export interface Content {
  subject: string;
  before: string[];
  link?: string;
  list?: string[];
  /** After the list. */
  after: string[];
}
