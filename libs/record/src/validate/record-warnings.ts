import type { ExperimentData } from '../catalog/catalog.ts';
import { doiIn, isShortened } from '../metadata/doi.ts';
import { describe } from './problems.ts';
import type { RecordWarning } from './problems.ts';
import { resolveName } from '../reference/reference.ts';
import type { References } from '../reference/reference.ts';

const PERCENT_UNITS: ReadonlySet<string | undefined> = new Set(['%', 'wt%', 'vol%']);
/** Tolerates rounded shares such as three times 33.3, or 67 and 34. */
const SUM_TOLERANCE = 1;

/** Returns the warnings that depend on one record alone. Requires normalized data. */
export function recordWarnings(data: ExperimentData, references: References): RecordWarning[] {
  const warnings: RecordWarning[] = [];
  const polymers = data.polymerProperty?.polymerComponents ?? [];
  const solvents = data.solventProperty?.solventComponents ?? [];
  const legacy = (list: 'polymers' | 'solvents', path: string, name: string | undefined): void => {
    const resolution = name === undefined ? undefined : resolveName(references, list, name);
    if (resolution?.kind !== 'found' || resolution.entry.sameAs === undefined) return;
    const message = `The name ${describe(name)} counts as ${describe(resolution.entry.sameAs)} in filters and figures; it is stored as sent.`;
    warnings.push({ path, code: 'LEGACY_NAME', message });
  };
  polymers.forEach(({ polymerName }, i) => {
    legacy('polymers', `polymerProperty.polymerComponents[${i}].polymerName`, polymerName);
  });
  solvents.forEach(({ solventName }, i) => {
    legacy('solvents', `solventProperty.solventComponents[${i}].solventName`, solventName);
  });
  ratioWarning(
    warnings,
    'polymerProperty.polymerComponents[].weightRatio',
    polymers.map(({ weightRatio, weightRatioUnit }) => ({ value: weightRatio, unit: weightRatioUnit })),
  );
  ratioWarning(
    warnings,
    'solventProperty.solventComponents[].volumeRatio',
    solvents.map(({ volumeRatio, volumeRatioUnit }) => ({ value: volumeRatio, unit: volumeRatioUnit })),
  );
  const pH = data.solutionProperty?.pH;
  if (pH !== undefined && (pH < 0 || pH > 14)) {
    const message = `The pH ${pH} is outside 0 to 14; check it.`;
    warnings.push({ path: 'solutionProperty.pH', code: 'PH_OUT_OF_RANGE', message });
  }
  const doi = data.researchMetadata?.doi ?? '';
  if (isShortened(doi)) {
    const message = `The DOI ${describe(doiIn(doi))} was read from ${describe(doi)}; check it.`;
    warnings.push({ path: 'researchMetadata.doi', code: 'DOI_SHORTENED', message });
  } else if (doi !== '' && doiIn(doi) === undefined) {
    const message = `Expected a DOI such as 10.1234/abc, got ${describe(doi)}; a search by DOI cannot find the record.`;
    warnings.push({ path: 'researchMetadata.doi', code: 'DOI_NOT_WELL_FORMED', message });
  }
  return warnings;
}

function ratioWarning(
  warnings: RecordWarning[],
  path: string,
  ratios: readonly { value: number | undefined; unit: string | undefined }[],
): void {
  if (ratios.length === 0 || !ratios.every(({ value, unit }) => value !== undefined && PERCENT_UNITS.has(unit))) return;
  const sum = ratios.reduce((total, { value = 0 }) => total + value, 0);
  if (Math.abs(sum - 100) <= SUM_TOLERANCE) return;
  const message = `The ratios of the components add up to ${Number(sum.toPrecision(6))} %, not to 100 %; check them.`;
  warnings.push({ path, code: 'RATIO_SUM', message });
}
