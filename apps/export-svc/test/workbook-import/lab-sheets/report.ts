/**
 * Prints the counts of each sheet and the totals. `report.ts text` prints what is not read in the sheets with the text
 * in their name, and `report.ts ''` in all sheets.
 */
import { labSheets } from './lab-sheets.ts';
import { type Finding, isHeading, readShare, type Score, scoreSheet } from './score-sheets.ts';

const [, , wanted] = process.argv;

function countsOf(findings: readonly Finding[]): string {
  const scoresText = (ofHeadings: boolean): string => {
    const count = (score: Score): number =>
      findings.filter((finding) => isHeading(finding) === ofHeadings && finding.score === score).length;
    const scores: readonly Score[] = ['read', 'offered', 'due', 'noted', 'wrong'];
    return scores.map((score) => `${count(score)} ${score}`).join(', ');
  };
  return `headings ${scoresText(true)}; cells ${scoresText(false)}`;
}

const all: Finding[] = [];
for (const lab of labSheets.filter(({ name }) => name.includes(wanted ?? ''))) {
  const findings = await scoreSheet(lab);
  all.push(...findings);
  console.log(`${lab.name}: ${countsOf(findings)}`);
  if (wanted === undefined) continue;
  for (const { place, score, text = '', expected, reads, lacksCandidate } of findings) {
    const note = lacksCandidate === true ? ' (lacks the right candidate)' : '';
    if (score !== 'read') console.log(`  ${score} ${place} “${text}”: ${expected} | ${reads}${note}`);
  }
}
console.log(`Total: ${countsOf(all)}`);
const lacking = all.filter(({ lacksCandidate }) => lacksCandidate === true).length;
console.log(`${lacking} of the offered headings lack the right candidate.`);
console.log(`${(readShare(all) * 100).toFixed(1)} % are read without a question, not counting those that are due.`);
