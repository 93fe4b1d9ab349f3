import { columnTypes } from '../../flatten/flatten.ts';
import { type DatasetDescription, identifierUrl, licenseOf, oneLine } from '../description.ts';
import { bibtex } from './bibtex.ts';
import { citationText } from './text.ts';

const SIZES = [
  [1_000, 'n<1K'],
  [10_000, '1K<n<10K'],
  [100_000, '10K<n<100K'],
  [1_000_000, '100K<n<1M'],
  [Infinity, '1M<n<10M'],
] as const;

/** Writes the README.md of a Hugging Face dataset repository that contains `records.parquet`. */
export function hfCard(description: DatasetDescription): string {
  const { facts, title, url, version, recordCount, variables } = description;
  const { spdx, url: licenseUrl } = licenseOf(description);
  const size = SIZES.find(([below]) => recordCount < below)?.[1] ?? '';
  const front = [
    `pretty_name: ${scalar(title)}`,
    ...(spdx === undefined
      ? ['license: other', `license_name: ${scalar(oneLine(description.license))}`]
      : [`license: ${scalar(spdx.toLowerCase())}`]),
    ...(spdx === undefined && licenseUrl !== undefined ? [`license_link: ${scalar(licenseUrl)}`] : []),
    'language:',
    '- en',
    'task_categories:',
    '- tabular-regression',
    'tags:',
    ...facts.keywords.map((keyword) => `- ${scalar(keyword)}`),
    'size_categories:',
    `- ${scalar(size)}`,
    'configs:',
    '- config_name: records',
    '  data_files: records.parquet',
  ];
  const ranges = variables.map(
    ({ feature: { name, unit }, min, max }) => `| ${name} | ${cell(unit)} | ${min} | ${max} |`,
  );
  return `---
${front.join('\n')}
---

# ${text(title)}${version === undefined ? '' : `, version ${version}`}

${text(description.description)}

${recordCount} records in ${columnTypes.size} columns. Quantities are as submitted, each with its unit in the next column.

- URL: <${identifierUrl(description)}>
- Files and checksums: <${url}>

| Quantity | Unit | Lowest | Highest |
| --- | --- | --- | --- |
${ranges.join('\n')}

## How to cite

${text(citationText(description))}

\`\`\`bibtex
${bibtex(description)}\`\`\`

Also cite the papers of the records that you use.
`;
}

/** Writes a YAML 1.2 scalar; each JSON string is one. */
function scalar(value: string): string {
  return JSON.stringify(value);
}

function text(value: string): string {
  return value
    .trim()
    .split(/\r?\n\s*\r?\n/)
    .map((paragraph) =>
      oneLine(paragraph)
        .replaceAll(/[\\`*_[\]<>#|~&]/g, (character) => `\\${character}`)
        // Escapes the starts of lists, rules and heading underlines.
        .replace(/^(\d*)([-+=.)])/, '$1\\$2'),
    )
    .join('\n\n');
}

function cell(value: string): string {
  return value.replaceAll('|', '\\|');
}
