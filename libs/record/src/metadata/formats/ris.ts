import { creatorName } from '../dataset-facts.ts';
import { dayOf, type Description, identifierUrl, oneLine, yearOf } from '../description.ts';
import { citationKey } from './citation-key.ts';

export function ris(description: Description): string {
  const { facts, title, version, doi, issued, license } = description;
  const tags: [string, string][] = [
    ['TY', 'DATA'],
    ['ID', citationKey(description)],
    ...facts.creators.map((creator): [string, string] => ['AU', creatorName(creator)]),
    ['TI', title],
    ['PY', yearOf(issued)],
    ['DA', dayOf(issued).replaceAll('-', '/')],
    ['PB', facts.publisher.name],
    ...(version === undefined ? [] : [['ET', version] satisfies [string, string]]),
    ['AB', description.description],
    ...facts.keywords.map((keyword): [string, string] => ['KW', keyword]),
    ['LA', 'en'],
    ['C1', license],
    ...(doi === undefined ? [] : [['DO', doi] satisfies [string, string]]),
    ['UR', identifierUrl(description)],
    ['ER', ''],
  ];
  return tags.map(([tag, value]) => `${tag}  - ${oneLine(value)}\r\n`).join('');
}
