/**
 * `identify-units.mjs [--check]`: writes `ucumCode` and `qudtUri` of the units in the seeds of dataset-svc, from @lhncbc/ucum-lhc and
 * @qudtlib/allunits. `--check` compares instead. docs/identifiers.md describes the rules.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { Units } from '@qudtlib/allunits';
import ucumPackage from '@lhncbc/ucum-lhc';
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';

const FILE = new URL('../../apps/dataset-svc/seeds/units.csv', import.meta.url);
const ucum = ucumPackage.UcumLhcUtils.getInstance();
/** Relative tolerance, because the seeds and the packages round conversions differently. */
const TOLERANCE = 1e-6;

/** Normalizes the name of a unit, which the packages and the seeds spell differently. */
function wording(name) {
  return name
    .toLowerCase()
    .replaceAll('metre', 'meter')
    .replaceAll('litre', 'liter')
    .replaceAll(/ - (time|plane angle)/g, '')
    .replaceAll(/(\w+)<sup>2<\/sup>/g, 'square $1')
    .replaceAll(/(\w+)<sup>3<\/sup>/g, 'cubic $1')
    .replaceAll('/', ' per ')
    .replaceAll(/[[\]()*-]/g, ' ')
    .replaceAll(/\b(milli)?degree kelvin\b/g, '$1kelvin')
    .replaceAll(/\bmicrons\b/g, 'micrometer')
    .replaceAll(/\bcm\b/g, 'centimeter')
    .replaceAll(/\b(liter|degree|stoke)s\b/g, '$1')
    .replaceAll(/\s+/g, ' ')
    .trim();
}

function candidates(unit) {
  const ascii = unit
    .replaceAll('µ', 'u')
    .replaceAll('·', '.')
    .replaceAll('²', '2')
    .replaceAll('³', '3')
    .replace(/^°$/, 'deg')
    .replaceAll('°C', 'Cel')
    .replaceAll('°F', '[degF]')
    .replace('/mK', '/(m.K)')
    .replace(/\/hr$/, '/h')
    .replace(/\/day$/, '/d')
    .replace(/^gram$/, 'g');
  return /\s/.test(ascii) ? [] : [ascii, `[${ascii}]`];
}

/** Returns the valid UCUM code whose name matches the unit. `%` has no name in UCUM, so its value is compared. */
function ucumCode({ unit, name, dimension }) {
  return candidates(unit).find((code) => {
    const found = ucum.validateUnitString(code);
    if (found.status !== 'valid' || found.ucumCode !== code) return false;
    if (wording(found.unit.name ?? '') === wording(name)) return true;
    const one = ucum.convertUnitTo(code, 1, '1');
    return dimension === 'relative' && one.status === 'succeeded' && isClose(one.toVal, 0.01);
  });
}

const byLabel = Map.groupBy(
  Object.values(Units).flatMap((unit) => unit.labels.map(({ text }) => ({ unit, label: wording(text) }))),
  ({ label }) => label,
);

/** Returns the QUDT unit with this name, if there is exactly one. */
function qudtUnit({ name }) {
  const found = new Set((byLabel.get(wording(name)) ?? []).map(({ unit }) => unit));
  return found.size === 1 ? [...found][0] : undefined;
}

function isClose(one, other) {
  return Math.abs(one / other - 1) < TOLERANCE;
}

function ucumAgrees(code, canonical, factor) {
  if (canonical === undefined) return true;
  const [one, zero] = [1, 0].map((value) => ucum.convertUnitTo(code, value, canonical));
  return one.status === 'succeeded' && zero.status === 'succeeded' && isClose(one.toVal - zero.toVal, factor);
}

function qudtAgrees(unit, canonical, factor) {
  if (canonical === undefined) return true;
  const [from, to] = [unit.conversionMultiplier, canonical.conversionMultiplier].map(Number);
  return unit.dimensionVectorIri === canonical.dimensionVectorIri && isClose(from / to, factor);
}

const rows = parse(readFileSync(FILE), { columns: true });
const byUnit = new Map(rows.map((row) => [row.unit, row]));
const identified = rows.map((stored) => {
  const row = Object.fromEntries(
    Object.entries(stored).filter(([column]) => !['ucumCode', 'qudtUri'].includes(column)),
  );
  const canonical = byUnit.get(row.canonical);
  if (canonical === undefined) return { ...row, ucumCode: '', qudtUri: '' };
  const factor = Number(row.factor);
  const code = ucumCode(row);
  const unit = qudtUnit(row);
  return {
    ...row,
    ucumCode: code !== undefined && ucumAgrees(code, ucumCode(canonical), factor) ? code : '',
    qudtUri: unit !== undefined && qudtAgrees(unit, qudtUnit(canonical), factor) ? unit.iri : '',
  };
});
const text = stringify(identified, { header: true });
const count = (member) => identified.filter((row) => row[member] !== '').length;
console.log(`${rows.length} units: ${count('ucumCode')} with a UCUM code, ${count('qudtUri')} in QUDT`);
if (!process.argv.includes('--check')) writeFileSync(FILE, text);
else if (readFileSync(FILE, 'utf8') !== text) {
  console.error('The identifiers in seeds/units.csv differ from those of the packages. Run `npm run identifiers`.');
  process.exitCode = 1;
}
