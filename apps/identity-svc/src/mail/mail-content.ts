/** The parts of a mail, in reading order. */
export interface Content {
  subject: string;
  before: string[];
  link?: string;
  list?: string[];
  after: string[];
}
