import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { runs } from '@esd/testing/property-runs';
import type { TableCell } from '../../src/sheet/parse-cell.ts';
import { readSheet } from '../../src/sheet/read-sheet.ts';
import type { RepairKind, SheetReading } from '../../src/sheet/sheet-reading.ts';
import { NO_OPTIONS } from '../../src/sheet/sheet-options.ts';
import { type Cell, flatten } from '../../src/flatten/flatten.ts';
import { references } from '../seed-lists.ts';
import { gridOf } from './grids.ts';

const file = { kind: 'csv', sheet: null, sheets: [] } as const;

/** Reads a sheet of headings and rows. */
function read(
  rows: readonly (readonly TableCell[])[],
  accept: readonly (readonly [RepairKind, string])[] = [],
): SheetReading {
  const reading = readSheet(gridOf(rows), file, references, { ...NO_OPTIONS, accept: new Map(accept) });
  if ('kind' in reading) throw new Error(JSON.stringify(reading));
  return reading;
}

/** A second column makes a row with an empty cell an experiment, and lets the headings be found. */
const PVA = ['Polymer', 'PVA'] as const;

/**
 * Each line: heading | cell | reading, where the reading is the flattened value with its unit, then the kinds of its
 * notes; `several kind: choices`; `error CODE`; or `absent`.
 */
const TABLE = `
Voltage (kV) | 15 | 15 kV
Voltage (kV) | 15.5 | 15.5 kV
Voltage (kV) | 1.5e3 | 1500 kV
Voltage (kV) | 1.5E3 | 1500 kV
Voltage (kV) | −5 | -5 kV
Voltage (kV) | -5 | -5 kV
Voltage (kV) | +5 | 5 kV
Voltage (kV) | .5 | 0.5 kV
Voltage (kV) | ,5 | 0.5 kV (decimal-comma)
Voltage (kV) | 15. | 15 kV
Voltage (kV) | １５ | 15 kV
Voltage (kV) | 15 kV | 15 kV
Voltage (kV) | 15kV | 15 kV
Voltage (kV) | 15 [kV] | 15 kV
Voltage (kV) | 15 (kV) | 15 kV
Voltage (kV) | 15000 V | 15000 V
Voltage (V) | 15 kV | 15 kV
Voltage | 15 | 15
Voltage (kV) | 12,5 | 12.5 kV (decimal-comma)
Voltage (kV) | 0,125 | 0.125 kV (decimal-comma)
Voltage (kV) | 0.125 | 0.125 kV
Voltage (kV) | 1234,567 | 1234.567 kV (decimal-comma)
Voltage (kV) | 1,2345 | 1.2345 kV (decimal-comma)
Voltage (kV) | 1,234 | several mark: decimal=1.234 kV, thousands=1234 kV
Voltage (kV) | 1.234 | several mark: decimal=1.234 kV, thousands=1234 kV
Voltage (kV) | 1.234,5 | 1234.5 kV (thousands)
Voltage (kV) | 1 234,5 | 1234.5 kV (thousands)
Voltage (kV) | 1 234,5 | 1234.5 kV (thousands)
Voltage (kV) | 1 234,5 | 1234.5 kV (thousands)
Voltage (kV) | 1,234.5 | 1234.5 kV (thousands)
Voltage (kV) | 1'234 | 1234 kV (thousands)
Voltage (kV) | 1'234.5 | 1234.5 kV (thousands)
Voltage (kV) | 1 234 | 1234 kV (thousands)
Voltage (kV) | 1,234,567 | 1234567 kV (thousands)
Voltage (kV) | 1.234.567 | 1234567 kV (thousands)
Voltage (kV) | 1.234.56 | error WRONG_TYPE
Voltage (kV) | 12 34 | error WRONG_TYPE
Voltage (kV) | 1,23,4 | error WRONG_TYPE
Voltage (kV) | ~15 | 15 kV (approximate)
Voltage (kV) | ~ 15 | 15 kV (approximate)
Voltage (kV) | ≈ 15 | 15 kV (approximate)
Voltage (kV) | ca. 15 | 15 kV (approximate)
Voltage (kV) | ca 15 | 15 kV (approximate)
Voltage (kV) | About 15 kV | 15 kV (approximate)
Voltage (kV) | approx. 15 | 15 kV (approximate)
Voltage (kV) | ~12,5 | 12.5 kV (approximate, decimal-comma)
Voltage (kV) | 15±1 | 15 kV (tolerance-dropped)
Voltage (kV) | 15 +/- 1 kV | 15 kV (tolerance-dropped)
Voltage (kV) | 15 kV ± 1 kV | 15 kV (tolerance-dropped)
Voltage (kV) | 15 (1) | several bracket: ignore=15 kV, empty=
Voltage (kV) | 10–12 | several range: low=10 kV, middle=11 kV, high=12 kV, empty=
Voltage (kV) | 10-12 | several range: low=10 kV, middle=11 kV, high=12 kV, empty=
Voltage (kV) | 10—12 | several range: low=10 kV, middle=11 kV, high=12 kV, empty=
Voltage (kV) | 10 to 12 | several range: low=10 kV, middle=11 kV, high=12 kV, empty=
Voltage (kV) | 10…12 | several range: low=10 kV, middle=11 kV, high=12 kV, empty=
Voltage (kV) | 10...12 | several range: low=10 kV, middle=11 kV, high=12 kV, empty=
Voltage (kV) | 10-12 kV | several range: low=10 kV, middle=11 kV, high=12 kV, empty=
Voltage (kV) | 10 kV - 12 kV | several range: low=10 kV, middle=11 kV, high=12 kV, empty=
Voltage (kV) | 0.1-0.2 | several range: low=0.1 kV, middle=0.15 kV, high=0.2 kV, empty=
Voltage (kV) | 10,5-12 | several range: low=10.5 kV, middle=11.25 kV, high=12 kV, empty=
Voltage (kV) | <5 | several bound: value=5 kV, empty=
Voltage (kV) | > 30 | several bound: value=30 kV, empty=
Voltage (kV) | ≤ 5 | several bound: value=5 kV, empty=
Voltage (kV) | >=5 kV | several bound: value=5 kV, empty=
Voltage (kV) | 15* | several footnote: value=15 kV, empty=
Voltage (kV) | 15¹ | several footnote: value=15 kV, empty=
Voltage (kV) | 15 a) | several footnote: value=15 kV, empty=
Voltage (kV) | 15a) | several footnote: value=15 kV, empty=
Voltage (kV) | 15 kV* | several footnote: value=15 kV, empty=
Voltage (kV) | 240¹² | several footnote: value=240 kV, empty=
Voltage (kV) | 240ᵃ | several footnote: value=240 kV, empty=
Voltage (kV) | 240ᵃ,ᵇ | several footnote: value=240 kV, empty=
Voltage (kV) | 240 ᵃ | several footnote: value=240 kV, empty=
Voltage (kV) | 240¹ V | several footnote: value=240 V, empty=
Voltage (kV) | 240^[1] | several footnote: value=240 kV, empty=
Voltage (kV) | 240^[1] V | several footnote: value=240 V, empty=
Voltage (kV) | 110³ | several footnote: value=110 kV, empty=
Voltage (kV) | ~15¹ | several footnote: value=15 kV, empty=
Voltage (kV) | <5¹ | several bound: value=5 kV, empty=
Voltage (kV) | 15 ± 1ᵃ | several footnote: value=15 kV, empty=
Voltage (kV) | RT¹ | error WRONG_TYPE
Viscosity (Pa s) | 1.5×10³ | 1500 Pa·s (power)
Viscosity (Pa s) | 2·10⁻⁴ | 0.0002 Pa·s (power)
Viscosity (Pa s) | 1,5 x 10^3 mPa·s | 1500 mPa·s (power, decimal-comma)
Viscosity (Pa s) | 2*10³ᵃ | several footnote: value=2000 Pa·s, empty=
Viscosity (Pa s) | 1×10³ ± 2×10² | 1000 Pa·s (tolerance-dropped, power)
Viscosity (Pa s) | 10³ | several power: power=1000 Pa·s, base=10 Pa·s, empty=
Viscosity (Pa s) | 10⁻¹ mPa·s | several power: power=0.1 mPa·s, base=10 mPa·s, empty=
Viscosity (Pa s) | -10³ | several power: power=-1000 Pa·s, base=-10 Pa·s, empty=
Viscosity (Pa s) | 10²–10³ | several power: power=100 Pa·s or 550 Pa·s or 1000 Pa·s, base=10 Pa·s or 10 Pa·s or 10 Pa·s, empty=
Viscosity (Pa s) | 10³ᵃ | several footnote: value=1000 Pa·s or 10 Pa·s, empty=
Viscosity (Pa s) | 10¹⁰⁰ | several footnote: value=10 Pa·s, empty=
Voltage (kV) | 1̶5̶ | several struck: value=15 kV, empty=
Voltage (kV) | 18 2̶0̶ | several struck: without=18 kV, with=, empty=
Voltage (kV) | 182̶0̶ | several struck: without=18 kV, with=1820 kV, empty=
Voltage (kV) | 1̶0̶–12 | several struck: without=, with=10 kV or 11 kV or 12 kV, empty=
Voltage (kV) | R̶T̶ | several struck: value=, empty=
Stable | y̶e̶s̶ | several struck: value=yes, empty=
Stable | yes¹ | yes (footnote)
Morphology | smoothᵃ | [{"category":"Texture","label":"Smooth"}] (footnote)
Solvent | W̶a̶t̶e̶r̶ | several struck: value=Water, empty=
Solvent | Water D̶M̶F̶ | several struck: without=Water, with=Water DMF, empty=
Solvent | DMF¹ | DMF (footnote)
Solvent | DMFᵃ/acetone^[1] | DMF + ACETONE (footnote)
Solvent | DMF/acetone 3:1ᵃ | DMF 3 + ACETONE 1 (footnote, ratio-basis)
Solvent | DMF/acetone 3:1² | error UNKNOWN_SOLVENT
Title | A title²⁺ with 10³ | A title²⁺ with 10³
Title | A̶ ̶t̶i̶t̶l̶e̶ | several struck: value=A title, empty=
Voltage (kV) | 15† | several footnote: value=15 kV, empty=
Voltage (kV) | n.a. | absent (empty-word)
Voltage (kV) | N.A. | absent (empty-word)
Voltage (kV) | n/a | absent (empty-word)
Voltage (kV) | NA | absent (empty-word)
Voltage (kV) | nd | absent (empty-word)
Voltage (kV) | n.d. | absent (empty-word)
Voltage (kV) | - | absent (empty-word)
Voltage (kV) | – | absent (empty-word)
Voltage (kV) | — | absent (empty-word)
Voltage (kV) | ? | absent (empty-word)
Voltage (kV) | none | absent (empty-word)
Voltage (kV) | unknown | absent (empty-word)
Voltage (kV) | not reported | absent (empty-word)
Voltage (kV) | Not  measured | absent (empty-word)
Voltage (kV) | RT | error WRONG_TYPE
Voltage (kV) | #N/A | error WRONG_TYPE
Voltage (kV) | ~ | error WRONG_TYPE
Voltage (kV) | 15 cm | error UNIT_NOT_APPLICABLE
Voltage (kV) | 15 kVolt | error UNKNOWN_UNIT
Voltage (kV) | 15; 16 | error WRONG_TYPE
RH (%) | 45% | 45 %
RH (%) | 240 | error IMPOSSIBLE_VALUE
Concentration (wt%) | 150 | error IMPOSSIBLE_VALUE
Temperature (°C) | -400 | error IMPOSSIBLE_VALUE
Diameter (nm) | -240 ± 30 | error IMPOSSIBLE_VALUE
Feed rate (µL/min) | 0.5 mL/h | 0.5 mL/h
Feed rate (µL/min) | 0.5 mL h-1 | 0.5 mL/h
Diameter (nm) | 240 ± 30 nm | 240 nm ± 30 nm (plus-minus)
Diameter (nm) | 240 (±30) nm | 240 nm ± 30 nm (plus-minus)
Diameter (nm) | 0,24 ± 0,03 µm | 0.24 µm ± 0.03 µm (plus-minus, decimal-comma)
Diameter (nm) | 240 nm ± 12 % | 240 nm ± 12 % (plus-minus)
Diameter (nm) | ~240 ± 30 | 240 nm ± 30 nm (approximate, plus-minus)
Diameter | 240 ± 30 | 240 ± 30 nm (plus-minus)
Diameter (nm) | 240 (30) | several bracket: variation=240 nm ± 30 nm, ignore=240 nm, empty=
Diameter (nm) | 240 (30) nm | several bracket: variation=240 nm ± 30 nm, ignore=240 nm, empty=
Diameter (nm) | 0.45 μm | 0.45 µm
SD (nm) | 30 | 30 nm
SD (nm) | ± 30 | error WRONG_TYPE
pH | 6.8 | 6.8
pH | 6,8 | 6.8 (decimal-comma)
pH | 7 kV | error WRONG_TYPE
Needle | 22G | 22 G
Needle | G22 | 22 G
Needle | G 22 | 22 G
Needle | 22 ga | 22 G
Needle | 22 gauge | 22 G
Needle | 22-gauge | 22 G
Needle | 0.41 mm | 0.41 mm
Needle | 22 | several needle: gauge=22 G, mm=22 mm
Needle | 34 | several needle: gauge=34 G, mm=34 mm
Needle | 0.8 | several needle-mm: mm=0.8 mm, empty=
Needle | 40 | several needle-mm: mm=40 mm, empty=
Needle | blunt | error WRONG_TYPE
Needle | 15 kV | error UNIT_NOT_APPLICABLE
Needle gauge | 22 | 22 G
Gauge | 7 | 7 G
Gauge | 0.8 | several needle-mm: mm=0.8 mm, empty=
Needle (mm) | 0.8 | 0.8 mm
Needle (G) | 21 | 21 G
Needle (mm) | 22G | 22 G
Needle | 21G (0.51 mm ID) | 21 G, inner 0.51 mm
Needle | 0.8 mm ID | 0.8 mm
Needle | i.d. 0.8 mm | 0.8 mm
Needle | inner diameter: 0,8 mm | 0.8 mm
Needle | 18G x 1.5" | 18 G (name-detail)
Needle | 18 G × 1 ½ inch | 18 G (name-detail)
Needle | 27G½ | 27 G (name-detail)
Needle | ID 0.4 mm, OD 0.7 mm | 0.4 mm, outer 0.7 mm
Needle | 0.4 mm ID / 0.7 mm OD | 0.4 mm, outer 0.7 mm
Needle | 22G (OD 0.72 mm) | 22 G, outer 0.72 mm
Needle | 21G (0.8 mm ID) | error CONFLICTING_MEMBERS
Needle | 21G (ID 5 kV) | error WRONG_TYPE
Needle | OD 0.7 mm | error WRONG_TYPE
Needle | 21G, 22G | error UNKNOWN_UNIT
Drum speed (rpm) | 500 | 500 rpm
Drum speed | 500 | 500
Drum speed (rpm) | 3 m/s | 3 m/s
Drum speed (rpm) | 5 kV | error UNIT_NOT_APPLICABLE
Stable | yes | yes
Stable | No | no
Stable | TRUE | yes
Stable | false | no
Stable | y | yes (flag-word)
Stable | n | no (flag-word)
Stable | 1 | yes (flag-word)
Stable | 0 | no (flag-word)
Stable | ja | yes (flag-word)
Stable | nein | no (flag-word)
Stable | ✓ | yes (flag-word)
Stable | stable | yes (flag-word)
Stable | unstable | no (flag-word)
Stable | Not stable | no (flag-word)
Diameter (nm) | 240±30 (n=100) | 240 nm ± 30 nm, n = 100 (plus-minus, count)
Diameter (nm) | 240 ± 30 nm (n = 50) | 240 nm ± 30 nm, n = 50 (plus-minus, count)
Diameter (nm) | 240 (SD 30, n 100) | 240 nm ± 30 nm, n = 100 (plus-minus, count)
Diameter (nm) | 240 (SD 30) | 240 nm ± 30 nm (plus-minus)
Diameter (nm) | 240, n = 100 | 240 nm, n = 100 (count)
Diameter (nm) | 240 (n = 0) | error IMPOSSIBLE_VALUE
Diameter (nm) | 200-300 (avg 250) | several range: low=200 nm, middle=250 nm, high=300 nm, average=250 nm, empty=
Diameter (nm) | 240 (n = many) | error WRONG_TYPE
Voltage (kV) | 15 (n = 3) | error WRONG_TYPE
Stable | x | several flag: yes=yes, no=no, empty=
Stable | + | several flag: yes=yes, no=no, empty=
Stable | o | several flag: yes=yes, no=no, empty=
Stable | maybe | error WRONG_TYPE
Stable | - | absent (empty-word)
Solvent | DMF | DMF
Solvent | N,N-Dimethylformamide | DMF
Solvent | 68-12-2 | DMF
Solvent | 68-12-2/67-64-1 | DMF + ACETONE
Solvent | DMF/acetone | DMF + ACETONE
Solvent | DMF:acetone | DMF + ACETONE
Solvent | DMF + acetone | DMF + ACETONE
Solvent | DMF & acetone | DMF + ACETONE
Solvent | DMF, acetone | DMF + ACETONE
Solvent | DMF; acetone | DMF + ACETONE
Solvent | DMF-acetone | DMF + ACETONE
Solvent | DMF and acetone | DMF + ACETONE
Solvent | N,N-dimethylformamide/acetone | DMF + ACETONE
Solvent | DMF/acetone 3:1 | DMF 3 + ACETONE 1 (ratio-basis)
Solvent | DMF:acetone (70/30 v/v) | DMF 70 v/v + ACETONE 30 v/v
Solvent | DMF/acetone 70/30 (v/v) | DMF 70 v/v + ACETONE 30 v/v
Solvent | DMF/acetone (3:1) | DMF 3 + ACETONE 1 (ratio-basis)
Solvent | DMF/Acetone 70:30 vol% | DMF 70 vol% + ACETONE 30 vol%
Solvent | DMF/acetone 2,5:1 | DMF 2.5 + ACETONE 1 (ratio-basis)
Solvent | DMF/THF/acetone 1:1:1 | DMF 1 + THF 1 + ACETONE 1 (ratio-basis)
Solvent | DMF/acetone 3:1:1 | error INVALID_FORMAT
Solvent | DMF/acetone 3:1 w/w | DMF 3 w/w + ACETONE 1 w/w
Solvent | DMF/acetone (7/3, v/v) | DMF 7 v/v + ACETONE 3 v/v
Solvent | DMF/acetone (v/v 7:3) | DMF 7 v/v + ACETONE 3 v/v
Solvent | THF/DMF 1:1 by weight | THF 1 w/w + DMF 1 w/w
Solvent | DMF/THF = 7/3 (v/v) | DMF 7 v/v + THF 3 v/v
Solvent | 70% DMF + 30% acetone | DMF 70 % + ACETONE 30 % (ratio-basis)
Solvent | 70 wt% DMF, 30 wt% acetone | DMF 70 wt% + ACETONE 30 wt%
Solvent | ethanol/water (80/20 w/w) | ETHANOL 80 w/w + WATER 20 w/w
Solvent | water:ethanol = 4:1 | WATER 4 + ETHANOL 1 (ratio-basis)
Solvent | water:ethanol (1:1, v/v) | WATER 1 v/v + ETHANOL 1 v/v
Solvent | 7:3 DCM/DMF | DCM 7 + DMF 3 (ratio-basis)
Solvent | 70/30 DMF/THF v/v | DMF 70 v/v + THF 30 v/v
Solvent | DMF (70%)/THF (30%) | DMF 70 % + THF 30 % (ratio-basis)
Solvent | DMF 70 vol.% / THF 30 vol.% | DMF 70 vol% + THF 30 vol%
Solvent | acetic acid 90% | ACETIC_ACID 90 % (share-alone)
Solvent | 90 wt% acetic acid | ACETIC_ACID 90 wt% (share-alone)
Solvent | DMF with 0.1% LiCl | DMF + LICL 0.1 % (ratio-basis)
Solvent | 70% DMF + 30 wt% acetone | error UNKNOWN_SOLVENT
Solvent | 70% DMF + 30% foo | error UNKNOWN_SOLVENT
Solvent | 70 kV DMF | error UNKNOWN_SOLVENT
Solvent | 7:3:1 DCM/DMF | error INVALID_FORMAT
Molecular weight | 80000 | 80000 g/mol (molecular-weight)
Molecular weight (kDa) | 80 | 80 kDa
Molecular weight | 80 kDa | 80 kDa
Molecular weight (kDa) | Mw 80 | 80 kDa (molecular-weight)
Molecular weight | Mw = 80,000 | 80000 g/mol (molecular-weight)
Molecular weight | 89-98 kDa | several range: low=89 kDa, middle=93.5 kDa, high=98 kDa, empty=
Molecular weight (kDa) | 80,500 | several mark: decimal=80.5 kDa, thousands=80500 kDa
Molecular weight | ~80 kDa | 80 kDa (approximate)
Molecular weight | 80 kV | error UNIT_NOT_APPLICABLE
Molecular weight | high | error WRONG_TYPE
Molecular weight | n.a. | absent (empty-word)
Solvent | DMX | error UNKNOWN_SOLVENT
Solvent | DMF/Foo | error UNKNOWN_SOLVENT
Solvent | none | absent (empty-word)
Solvent | FA | FA
Solvent | DMF mit 0,1 % LiCl | DMF + LICL 0.1 % (ratio-basis)
Solvent | 70% DMF + 30 kV% acetone | error UNKNOWN_SOLVENT
Solvent | DMF/acetone(3:1) | DMF 3 + ACETONE 1 (ratio-basis)
Needle | 18 G blunt | 18 G (name-detail)
Needle | 21G (0.51 mm ID), stainless steel | 21 G, inner 0.51 mm (name-detail)
Needle | 22 G 平头 | 22 G (name-detail)
Needle | blunt needle | error WRONG_TYPE
Needle | 18 G a) | several footnote: value=18 G, empty=
Needle | 22 G or 23 G | error UNKNOWN_UNIT
Morphology | glatt | [{"category":"Texture","label":"Smooth"}]
Morphology | Glatt und porös | [{"category":"Texture","label":"Smooth"},{"category":"Structure","label":"Porous"}]
Voltage (kV) | ditto | error WRONG_TYPE
`;

const lines = TABLE.split('\n').filter((line) => line.includes(' | '));

test('the table has at least 150 cells', () => {
  expect(lines.length).toBeGreaterThanOrEqual(150);
});

const withUnit = (value: Cell, unit: Cell): string => `${String(value)}${unit === undefined ? '' : ` ${String(unit)}`}`;

/** Formats what the reader made of the cell C2. */
function readingOf(heading: string, cell: TableCell, accept: readonly (readonly [RepairKind, string])[] = []): string {
  const { columns, rows, notes } = read(
    [
      [...PVA.slice(0, 1), heading],
      [...PVA.slice(1), cell],
    ],
    accept,
  );
  const [row] = rows;
  const [error] = row?.errors ?? [];
  const column = columns[1]?.reads ?? '';
  if (row === undefined) throw new Error('no row');
  if (error !== undefined) {
    if (error.code !== 'SEVERAL_READINGS') return `error ${error.code}`;
    return `several ${error.kind}: ${(error.choices ?? []).map(({ choice, reads }) => `${choice}=${reads}`).join(', ')}`;
  }
  const flat = flatten(1, row.item ?? {});
  const kinds = notes.filter(({ path }) => path === 'B2').map(({ kind }) => kind);
  const noted = kinds.length === 0 ? '' : ` (${kinds.join(', ')})`;
  return `${valueOf(flat, column)}${noted}`;
}

function valueOf(flat: ReturnType<typeof flatten>, column: string): string {
  const value = flat[column];
  if (column === 'solvent(s)') {
    const components = z
      .array(z.looseObject({ name: z.string() }))
      .parse(JSON.parse(String(flat['solvent_components'] ?? '[]')));
    const parts = components.map(({ name, ...others }) => [name, ...Object.values(others)].join(' '));
    return parts.length === 0 ? 'absent' : parts.join(' + ');
  }
  if (column === 'molecular_weight') {
    const [{ molecularWeight, molecularWeightUnit } = {}] = z
      .array(z.object({ molecularWeight: z.number().optional(), molecularWeightUnit: z.string().optional() }))
      .parse(JSON.parse(String(flat['polymer_components'])));
    return molecularWeight === undefined ? 'absent' : withUnit(molecularWeight, molecularWeightUnit);
  }
  if (value === undefined) return 'absent';
  if (typeof value === 'boolean') return value ? 'yes' : 'no';
  if (column === 'needle_definition' || column === 'collector_definition') {
    const object = z.record(z.string(), z.union([z.string(), z.number()])).parse(JSON.parse(String(value)));
    const sizes = ['inner', 'outer'].flatMap((side) => {
      const size = object[`${side}Diameter`];
      return size === undefined ? [] : [`, ${side} ${withUnit(size, object[`${side}DiameterUnit`])}`];
    });
    return `${withUnit(object['size'] ?? object['rotationSpeed'], object['unit'] ?? object['rotationSpeedUnit'])}${sizes.join('')}`;
  }
  const spread = flat['fiber_diameter_variation'];
  const own = withUnit(value, flat[`${column}_unit`]);
  if (column !== 'fiber_diameter') return own;
  const count = flat['fiber_diameter_count'];
  const variation = spread === undefined ? '' : ` ± ${withUnit(spread, flat['fiber_diameter_variation_unit'])}`;
  return `${own}${variation}${count === undefined ? '' : `, n = ${String(count)}`}`;
}

test.each(lines)('%s', (line) => {
  const [heading = '', cell = '', expected = ''] = line.split(' | ');
  expect(readingOf(heading, cell)).toBe(expected.trim());
});

const percent: TableCell = { kind: 'formatted', value: '45 %', shown: '45.0%', format: 'percent-format' };
const scaled: TableCell = { kind: 'formatted', value: 15_000, shown: '15.0', format: 'format-scaled' };
const unit = (value: string): TableCell => ({
  kind: 'formatted',
  value,
  shown: `${value} (shown)`,
  format: 'format-unit',
});

test.each([
  ['n.a.', 'ready'],
  ['100', 'ready'],
  ['90', 'error'],
])('the count in a diameter and %j in a column of its own: %s', (cell, state) => {
  const { rows } = read([
    ['Polymer', 'Diameter (nm)', 'Number of fibers'],
    ['PVA', '240 (n = 100)', cell],
  ]);
  expect(rows.map((row) => row.state)).toEqual([state]);
  expect(rows[0]?.item?.fiberProperty?.fiberDiameterCount).toBe(state === 'ready' ? 100 : undefined);
});

describe('a number of a workbook', () => {
  test.each<[string, TableCell, string]>([
    ['Voltage (kV)', 1.234, '1.234 kV'],
    ['Voltage (kV)', 1234, '1234 kV'],
    ['Stable', 1, 'yes (flag-word)'],
    ['Stable', true, 'yes'],
    ['Needle gauge', 22, '22 G'],
    ['Needle', 22, 'several needle: gauge=22 G, mm=22 mm'],
    [
      'Voltage (kV)',
      { kind: 'other', unreadable: 'The cell contains the error #DIV/0!; write the value.' },
      'error WRONG_TYPE',
    ],
    ['Voltage (kV)', true, 'error WRONG_TYPE'],
    ['Humidity', percent, '45 % (percent-format)'],
    ['Conc. (wt%)', percent, '45 wt% (percent-format)'],
    ['Conc. (% w/v)', percent, '45 g/100 mL (percent-format)'],
    ['Conc. (g/L)', percent, '45 % (percent-format)'],
    ['Voltage (kV)', percent, 'error UNIT_NOT_APPLICABLE'],
    ['pH', percent, 'error UNIT_NOT_APPLICABLE'],
    ['Needle', percent, 'error UNIT_NOT_APPLICABLE'],
    ['Title', percent, '45.0% (percent-format)'],
    ['Voltage (V)', unit('1.234 kV'), '1.234 kV (format-unit)'],
    ['Voltage (V)', unit('15 cm'), 'error UNIT_NOT_APPLICABLE'],
    ['Voltage (V)', unit('~15'), '15 V (format-unit, approximate)'],
    ['Voltage (V)', unit('15 foo'), 'error UNKNOWN_UNIT'],
    ['Needle', unit('22 G'), '22 G (format-unit)'],
    ['Title', unit('15 kV'), '15 kV (shown) (format-unit)'],
    ['Voltage (V)', scaled, '15000 V (format-scaled)'],
    ['Title', scaled, '15.0 (format-scaled)'],
    ['Voltage (V)', { kind: 'formatted', value: '1̶.̶2̶3̶4̶', shown: '1̶.̶2̶3̶4̶' }, 'several struck: value=1.234 V, empty='],
    ['Voltage (V)', { kind: 'formatted', value: 15, comment: 'measured twice' }, '15 V (comment)'],
    ['Voltage (V)', { kind: 'formatted', value: { kind: 'date', unreadable: '' }, comment: 'x' }, 'error WRONG_TYPE'],
  ])('%s: %p', (heading, cell, expected) => {
    expect(readingOf(heading, cell)).toBe(expected);
  });

  test('that became a date says how to correct it', () => {
    const cell: TableCell = {
      kind: 'date',
      unreadable: 'The cell is formatted as a date or time (45000); write the value.',
    };
    const { rows } = read([
      ['Polymer', 'Solvent ratio', 'Solvent'],
      ['PVA', cell, 'DMF'],
    ]);
    expect(rows[0]?.errors).toMatchObject([
      { code: 'WRONG_TYPE', message: expect.stringContaining('Format the column as text.') },
    ]);
  });
});

test('comments of cells and headings are notes, also that of an empty cell', () => {
  const long = 'x'.repeat(300);
  const { notes } = read([
    ['Polymer', { kind: 'formatted', value: 'Voltage (kV)', comment: 'of the needle' }, 'Temperature (°C)', 'Date'],
    [
      'PVA',
      { kind: 'formatted', value: '', comment: long },
      20,
      { kind: 'formatted', value: 'May', comment: 'not read' },
    ],
    [{ kind: 'formatted', value: 'PVA', comment: 'a name' }, '~15', 20],
  ]);
  expect(notes).toEqual([
    { path: 'B1', kind: 'comment', text: 'of the needle', reads: 'Voltage (kV)' },
    { path: 'B2', kind: 'comment', text: 'x'.repeat(200), reads: '' },
    { path: 'A3', kind: 'comment', text: 'a name', reads: 'PVA' },
    { path: 'B3', kind: 'approximate', text: '~15', reads: '15 kV' },
  ]);
});

test('a footnote mark of a heading is dropped with a note', () => {
  const { columns, notes } = read([
    ['Polymer', 'Voltageᵃ (kV)'],
    ['PVA', 15],
  ]);
  expect(columns[1]).toMatchObject({ state: 'read', reads: 'voltage', unit: 'kV' });
  expect(notes).toEqual([{ path: 'B1', kind: 'footnote', text: 'Voltageᵃ (kV)', reads: 'Voltage (kV)' }]);
});

test('the repair of a column lists the choices of all its struck cells', () => {
  const { repairs } = read([
    ['Polymer', 'Voltage (kV)'],
    ['PVA', '1̶5̶'],
    ['PVA', '15 1̶6̶'],
  ]);
  expect(repairs).toEqual([
    { kind: 'struck', at: 'B', cells: ['B2', 'B3'], choices: ['value', 'without', 'with', 'empty'] },
  ]);
});

describe('a ditto mark', () => {
  const rowsOf = (mark: string, ...accept: [RepairKind, string][]) =>
    read(
      [
        ['Polymer', 'Solvent', 'Voltage (kV)', 'Remarks'],
        ['PVA', 'DMF/acetone 3:1', 12, 'dry'],
        [mark, mark, mark, mark],
        [mark, 'DMF', '15', 'wet'],
      ],
      accept,
    );

  test.each(['"', '\u201D', '〃', 'do.', 'Ditto', "''", '同上'])('%s below a value is a question', (mark) => {
    const { rows, repairs } = rowsOf(mark);
    expect(rows.map(({ state }) => state)).toEqual(['ready', 'error', 'error']);
    expect(rows[1]?.errors).toMatchObject([
      { path: 'C3', kind: 'ditto', text: mark, choices: [{ choice: 'above', reads: '12 kV' }, { choice: 'empty' }] },
      { path: 'D3', choices: [{ choice: 'above', reads: 'dry' }, { choice: 'empty' }] },
      { path: 'A3', choices: [{ choice: 'above', reads: 'PVA' }, { choice: 'empty' }] },
      { path: 'B3', choices: [{ choice: 'above', reads: 'DMF/acetone 3:1' }, { choice: 'empty' }] },
    ]);
    expect(repairs.map(({ at, cells }) => [at, ...cells])).toEqual([
      ['C', 'C3'],
      ['D', 'D3'],
      ['A', 'A3', 'A4'],
      ['B', 'B3'],
    ]);
  });

  test('repeats the value above if the user chooses it, also through another mark', () => {
    const { rows, notes } = rowsOf('"', ['ditto', 'above']);
    const [first, second, third] = rows.map(({ item }) => item);
    expect(second).toEqual(first);
    expect(third?.polymerProperty).toEqual(first?.polymerProperty);
    expect(notes.filter(({ kind }) => kind === 'ditto').map(({ path, reads }) => [path, reads])).toEqual([
      ['C3', '12 kV'],
      ['D3', 'dry'],
      ['A3', 'PVA'],
      ['B3', 'DMF/acetone 3:1'],
      ['A4', 'PVA'],
    ]);
    expect(rowsOf('"', ['ditto', 'empty']).rows[1]).toMatchObject({
      state: 'error',
      errors: [{ code: 'MISSING_VALUE' }],
    });
  });

  test('without a value above has no other reading', () => {
    const { rows } = read([
      ['Polymer', 'Voltage (kV)'],
      ['PVA', '"'],
    ]);
    expect(rows[0]?.errors).toMatchObject([{ path: 'B2', code: 'WRONG_TYPE' }]);
  });
});

test('a footnote mark of shares is offered', () => {
  const shares = (...accept: [RepairKind, string][]) =>
    read(
      [
        ['Polymer', 'Solvent', 'Solvent ratio'],
        ['PVA', 'DMF/acetone', '3:1ᵃ'],
      ],
      accept,
    ).rows[0];
  expect(shares()?.errors).toMatchObject([{ kind: 'footnote', choices: [{ choice: 'value', reads: '3:1' }, {}] }]);
  expect(shares(['footnote', 'value'])).toMatchObject({
    item: { solventProperty: { solventComponents: [{ volumeRatio: 3 }, { volumeRatio: 1 }] } },
  });
});

describe('a choice', () => {
  test.each<[string, string, RepairKind, string, string]>([
    ['Voltage (kV)', '10–12', 'range', 'low', '10 kV (range)'],
    ['Voltage (kV)', '10–12', 'range', 'middle', '11 kV (range)'],
    ['Voltage (kV)', '10–12', 'range', 'empty', 'absent (range)'],
    ['Voltage (kV)', '1,234', 'mark', 'decimal', '1.234 kV (mark, decimal-comma)'],
    ['Voltage (kV)', '1,234', 'mark', 'thousands', '1234 kV (mark, thousands)'],
    ['Voltage (kV)', '<5', 'bound', 'value', '5 kV (bound)'],
    ['Voltage (kV)', '15*', 'footnote', 'value', '15 kV (footnote)'],
    ['Voltage (kV)', '10¹', 'power', 'base', '10 kV (power)'],
    ['Voltage (kV)', '10¹', 'power', 'empty', 'absent (power)'],
    ['Voltage (kV)', '18 2̶0̶', 'struck', 'without', '18 kV (struck)'],
    ['Voltage (kV)', '18 2̶0̶', 'struck', 'value', 'several struck: without=18 kV, with=, empty='],
    ['Voltage (kV)', '1̶8̶', 'struck', 'with', 'several struck: value=18 kV, empty='],
    ['Solvent', 'W̶a̶t̶e̶r̶', 'struck', 'value', 'WATER (struck)'],
    ['Solvent', 'W̶a̶t̶e̶r̶', 'struck', 'empty', 'absent (struck)'],
    ['Voltage (kV)', 'RT', 'word', 'empty', 'absent (word)'],
    ['Diameter (nm)', '240 (30)', 'bracket', 'variation', '240 nm ± 30 nm (bracket, bracket)'],
    ['Diameter (nm)', '240 (30)', 'bracket', 'ignore', '240 nm (bracket)'],
    ['Voltage (kV)', '15 (1)', 'bracket', 'variation', 'several bracket: ignore=15 kV, empty='],
    ['Needle', '22', 'needle', 'gauge', '22 G (needle)'],
    ['Needle', '0.8', 'needle-mm', 'mm', '0.8 mm (needle-mm)'],
    ['Stable', 'x', 'flag', 'yes', 'yes (flag)'],
  ])('%s: %s with %s:%s', (heading, cell, kind, choice, expected) => {
    expect(readingOf(heading, cell, [[kind, choice]])).toBe(expected);
  });
});

describe('the decimal mark', () => {
  const marks = (...cells: string[]) => read([['Polymer', 'Voltage (kV)'], ...cells.map((cell) => ['PVA', cell])]);
  test('is that of the other text numbers', () => {
    const comma = marks('12,5', '1,234', '1.234');
    expect(comma.file.decimalMark).toBe(',');
    expect(comma.rows.map(({ item }) => item?.processParameter?.voltage)).toEqual([12.5, 1.234, 1234]);
    const point = marks('12.5', '1,234', '1.234');
    expect(point.file.decimalMark).toBe('.');
    expect(point.rows.map(({ item }) => item?.processParameter?.voltage)).toEqual([12.5, 1234, 1.234]);
  });

  test('is not settled by both marks', () => {
    const both = marks('12.5', '12,5', '1,234');
    expect(both.file.decimalMark).toBeNull();
    expect(both.rows.map(({ state }) => state)).toEqual(['ready', 'ready', 'error']);
  });
});

describe('a variation', () => {
  const sheet = (diameter: string, variation: string) =>
    read([
      ['Polymer', 'Diameter (nm)', 'SD (nm)'],
      ['PVA', diameter, variation],
    ]).rows[0];
  test('in two cells has to agree', () => {
    expect(sheet('240 ± 30', '30')).toMatchObject({ state: 'ready' });
    expect(sheet('240 ± 30', '0.03 µm')).toMatchObject({ state: 'ready' });
    expect(sheet('240 ± 30', '40')).toMatchObject({
      state: 'error',
      errors: [{ code: 'CONFLICTING_MEMBERS', path: 'B2' }],
    });
    expect(sheet('240 ± 30', 'n.a.')).toMatchObject({
      state: 'ready',
      item: { fiberProperty: { fiberDiameterVariation: 30 } },
    });
  });
});

test('the worst case of each pattern has 200 characters and takes no time', () => {
  const pieces = [
    '1',
    '1,',
    '1.',
    '1 ',
    "1'",
    '1 234',
    ',123',
    '1-',
    '–',
    '±',
    '1±',
    '(',
    '(1',
    ')',
    '<',
    '~',
    '*',
    '1*',
    '²',
    ' a)',
    '³',
    'ᵃ',
    '^a',
    '×10³',
    '10³',
    'a\u0336',
    '\u0336',
    'e',
    '1e',
    '1e+',
    '-',
    '+/-',
    ' to ',
    '1 to ',
    '/',
    ':',
    '1:1 ',
    '1/',
    '%',
    'v/v',
    ' v/v',
    'DMF-',
    'DMF/',
    ' and ',
    'N,',
    'G',
    '22 ',
    '…',
    '...',
    '1…',
    '\u00a0',
    'ﬃ',
  ];
  const headings = [
    'Voltage (kV)',
    'Diameter (nm)',
    'Needle',
    'Stable',
    'Solvent',
    'Solvent ratio',
    'Morphology',
    'Conc.',
  ];
  const started = process.cpuUsage();
  for (const piece of pieces) {
    for (const text of [
      piece.repeat(200).slice(0, 200),
      `1${piece.repeat(200)}`.slice(0, 200),
      `${'1'.repeat(100)}${piece.repeat(100)}`.slice(0, 200),
    ]) {
      read([
        ['Polymer', ...headings],
        ['PVA', ...headings.map(() => text)],
      ]);
    }
  }
  expect(process.cpuUsage(started).user / 1_000).toBeLessThan(20_000);
});

const cellTexts = fc.oneof(
  fc.constantFrom(...lines.map((line) => line.split(' | ')[1] ?? '')),
  fc.constantFrom('PVA', 'PCL/Gelatin', 'DMF', 'DMF/Acetone 3:1', '3:1', 'example 1', 'Mean', 'kV', '', '', ' '),
  fc.string({ maxLength: 12 }),
);
const headingTexts = fc.constantFrom(
  'Polymer',
  'Solvent',
  'Solvent ratio',
  'Voltage (kV)',
  'Diameter (nm)',
  'SD (nm)',
  'Needle',
  'Stable',
  'Morphology',
  'Collector',
  'd (mm)',
  'Foo',
  'Comment',
  'U',
  'Temp',
  'Flow rate',
  'voltage_unit',
  'DOI',
);

test('no cell disappears', () => {
  const sheets = fc.uniqueArray(headingTexts, { minLength: 2, maxLength: 10 }).chain((headings) =>
    fc.record({
      headings: fc.constant(['Polymer', 'Conc. (wt%)', ...headings.filter((one) => one !== 'Polymer')]),
      rows: fc.array(fc.array(cellTexts, { minLength: headings.length + 2, maxLength: headings.length + 2 }), {
        minLength: 1,
        maxLength: 6,
      }),
    }),
  );
  fc.assert(
    fc.property(sheets, fc.boolean(), ({ headings, rows }, accepts) => {
      const accept = accepts
        ? ([
            ['range', 'empty'],
            ['mark', 'decimal'],
            ['word', 'empty'],
            ['bound', 'empty'],
            ['footnote', 'empty'],
            ['blank-name', 'fill-down'],
          ] as const)
        : [];
      const reading = read([headings, ...rows], accept);
      const { counts, columns, notes, unitRow } = reading;
      expect(counts.ready + counts.errors + counts.leftOut).toBe(counts.rows);
      for (const { row, state, item, errors } of reading.rows) {
        if (state !== 'ready') {
          expect(state === 'left-out' || errors.length > 0).toBe(true);
          continue;
        }
        const flat = flatten(1, item ?? {});
        for (const column of columns) {
          const at = column.at.charCodeAt(0) - 65;
          const text = rows[row - 2]?.[at] ?? '';
          if (text.trim() === '' || column.state !== 'read' || column.reads === null) continue;
          const inNote = notes.some(({ path }) => path === `${column.at}${row}`);
          const components = column.reads === 'polymer(s)' ? 'polymer_components' : 'solvent_components';
          expect(
            inNote ||
              flat[column.reads] !== undefined ||
              (column.reads.endsWith('(s)') && flat[components] !== undefined),
          ).toBe(true);
        }
      }
      const numbers = new Set(reading.rows.map(({ row }) => row));
      for (const [at, cells] of rows.entries()) {
        if (cells.slice(0, headings.length).some((cell) => cell.trim() !== ''))
          expect(numbers.has(at + 2) || unitRow === at + 2).toBe(true);
      }
    }),
    { numRuns: runs(500) },
  );
});

/** The choice puts a name in the place of the one that has no reading; the rest of the cell remains. */
test.each([
  ['Watr', ['WATER', 'WATER']],
  ['Watr/DMF', ['WATER', 'WATER/DMF']],
  ['DMF : Watr (70/30 v/v)', ['WATER', 'DMF : WATER (70/30 v/v)']],
  ['DMF/Watr 3:1', ['WATER', 'DMF/WATER 3:1']],
])('the nearest names of %j are choices for the whole cell', (cell, expected) => {
  const { rows } = read([
    ['Polymer', 'Solvent'],
    ['PVA', cell],
  ]);
  const [error] = rows[0]?.errors ?? [];
  expect(error?.code).toBe('UNKNOWN_SOLVENT');
  const choices = (error?.choices ?? []).map(({ choice, reads }) => [choice, reads]);
  expect(choices).toContainEqual(expected);
  for (const [choice, reads] of choices) {
    const [row] = read([
      ['Polymer', 'Solvent'],
      ['PVA', reads ?? ''],
    ]).rows;
    expect([choice, row?.state]).toEqual([choice, 'ready']);
  }
});

describe('the molecular weight of a polymer', () => {
  const rowOf = (polymer: string, weight: string) => {
    const { rows, notes } = read([
      ['Polymer', 'Molecular weight', 'Voltage (kV)'],
      [polymer, weight, 15],
    ]);
    const { item, errors = [] } = rows[0] ?? {};
    const [error] = errors;
    return error === undefined ? [item?.polymerProperty?.polymerComponents, notes.map(({ kind }) => kind)] : error.code;
  };

  test('is in the cell of the name, in its own column, or in both', () => {
    const weight = { molecularWeight: 80, molecularWeightUnit: 'kDa' };
    const pcl = [{ polymerName: 'PCL', ...weight }];
    expect(rowOf('PCL (80 kDa)', '')).toEqual([pcl, ['molecular-weight']]);
    expect(rowOf('PCL', '80 kDa')).toEqual([pcl, []]);
    expect(rowOf('PCL (Mn 80000)', '80 kDa')).toEqual([pcl, ['molecular-weight']]);
    expect(rowOf('PVA/PEO (80 kDa) 1:4 w/w', '')).toEqual([
      [
        { polymerName: 'PVA', weightRatio: 1, weightRatioUnit: 'w/w' },
        { polymerName: 'PEO', weightRatio: 4, weightRatioUnit: 'w/w', ...weight },
      ],
      ['molecular-weight'],
    ]);
  });

  test('is an error if it contradicts the name, or does not state its polymer', () => {
    expect(rowOf('PCL (80 kDa)', '90 kDa')).toBe('CONFLICTING_MEMBERS');
    expect(rowOf('PVA/PEO', '90 kDa')).toBe('INVALID_FORMAT');
    expect(rowOf('PVA 8% + PEO 2%', '')).toBe('UNKNOWN_POLYMER');
  });
});

test.each([
  ['7:3 DCM/Foo', 'Foo', '7:3 DCM/DMF'],
  ['70% DCM + 30% Dmx', 'Dmx', '70% DCM + 30% DMF'],
  ['DCM/Dmx (7:3)', 'Dmx', 'DCM/DMF (7:3)'],
])('in %s, the unknown name is the text without the numbers', (text, name, corrected) => {
  const { rows } = read([
    ['Polymer', 'Solvent'],
    ['PVA', text],
  ]);
  const [error] = rows[0]?.errors ?? [];
  expect(error?.message).toContain(`Unknown solvent "${name}"`);
  if (name === 'Dmx') expect(error?.choices).toContainEqual({ choice: 'DMF', reads: corrected });
});

test('a detail in a mixture has a note', () => {
  const { rows, notes } = read([
    ['Polymer', 'Voltage (kV)'],
    ['70% PVA (Sigma-Aldrich) + 30% PEO (900 kDa)', 15],
  ]);
  expect(rows[0]?.item?.polymerProperty?.polymerComponents).toEqual([
    { polymerName: 'PVA', weightRatio: 70, weightRatioUnit: '%' },
    { polymerName: 'PEO', weightRatio: 30, weightRatioUnit: '%', molecularWeight: 900, molecularWeightUnit: 'kDa' },
  ]);
  expect(notes.map(({ kind }) => kind).sort()).toEqual(['molecular-weight', 'name-detail', 'ratio-basis']);
});

test('mixtures leave the suggestions to the unknown names', () => {
  const { rows } = read([
    ['Polymer', 'Solvent'],
    ...Array.from({ length: 30 }, (_, at) => ['PVA', `${at + 1}% DMF + ${99 - at}% acetone`]),
    ['PVA', 'Dmx'],
  ]);
  expect(rows.at(-1)?.errors[0]?.choices).toContainEqual({ choice: 'DMF', reads: 'DMF' });
});

test('a number is never offered as a name', () => {
  const { rows } = read([
    ['Polymer', 'Solvent'],
    ['PVA', '7'],
  ]);
  expect(rows[0]?.errors[0]).toMatchObject({
    code: 'UNKNOWN_SOLVENT',
    message: expect.stringContaining('the name of a'),
  });
});
