export interface Content {
  subject: string;
  before: string[];
  link?: string;
  list?: string[];
  after: string[];
}
