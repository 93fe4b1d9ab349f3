/**
 * Sheets in the shapes of published tables and lab notebooks, with invented numbers, and what a person reads in them.
 *
 * `cells` has a line for each row and a `|` between columns. Numbers are numbers, as if typed into Excel; `'15` is text,
 * `0.45{0%}` has a number format, `=A1+1 -> 5` is a formula with its result, and `2023-05-04` is a date. `^{a}` and
 * `_{2}` are superscripts and subscripts, and `~~x~~` is struck. With `csv`, the text is the file.
 *
 * `means` lists the column of each heading, from the first column on (in a transposed sheet, from the first row on):
 * `.` no heading, `-` no field, `?` a question is right, and `~name` the column or no field.
 * `reads` has a line for each experiment, `row: cells`, with a cell for each heading that has a column. An empty cell is
 * no value, and `?` is a question. `240 nm ± 30 nm n 50` is a diameter with its variation and count,
 * `PCL 7 w + PEO 3 w` are components with shares by weight (`v`: by volume, no letter: unstated), `PCL @80 kDa` has a
 * molar mass, and `a or b` are two valid readings.
 */
export interface LabTable {
  readonly means: string;
  readonly reads: string;
}

export interface LabSheet {
  readonly name: string;
  readonly cells?: string;
  readonly csv?: string;
  readonly merged?: readonly string[];
  /** Numbers of rows and letters of columns. */
  readonly hidden?: readonly (number | string)[];
  readonly comments?: Readonly<Record<string, string>>;
  readonly isTransposed?: true;
  readonly tables: readonly LabTable[];
}

export const labSheets: readonly LabSheet[] = [
  {
    name: 'footnote marks',
    cells: `
Table S2. Electrospinning conditions and fiber diameters of PCL mats^{a}
Sample | Polymer | Conc. (wt%) | Solvent | Voltage (kV) | Flow rate (mL h^{−1}) | TCD (cm) | Fiber diameter (nm)^{b}
PCL-8 | PCL | 8 | CHCl_{3}/MeOH | 15 | 1.0 | 15 | 410 ± 90
PCL-10 | PCL | 10 | CHCl_{3}/MeOH | 15 | 1.0 | 15 | 620 ± 110
PCL-12 | PCL | 12 | CHCl_{3}/MeOH | 18 | 1.2 | 15 | 880 ± 160
^{a} All solutions were stirred overnight at room temperature.
^{b} Mean ± SD of 100 fibers, measured with ImageJ.`,
    tables: [
      {
        means:
          'sample_id | polymer(s) | solution_concentration | solvent(s) | voltage | flow_rate | tip_collector_distance | fiber_diameter',
        reads: `
3: PCL-8 | PCL | 8 wt% | CHLOROFORM + METHANOL | 15 kV | 1 mL/h | 15 cm | 410 nm ± 90 nm
4: PCL-10 | PCL | 10 wt% | CHLOROFORM + METHANOL | 15 kV | 1 mL/h | 15 cm | 620 nm ± 110 nm
5: PCL-12 | PCL | 12 wt% | CHLOROFORM + METHANOL | 18 kV | 1.2 mL/h | 15 cm | 880 nm ± 160 nm`,
      },
    ],
  },
  {
    name: 'group titles',
    cells: `
Sample | Solution | | | Process | | | Fiber diameter |
 | Polymer | Concentration (wt%) | Viscosity (mPa·s) | Voltage (kV) | Flow rate (mL/h) | Distance (cm) | Mean (nm) | SD (nm)
P1 | PVA | 8 | 310 | 20 | 0.5 | 12 | 190 | 32
P2 | PVA | 10 | 720 | 20 | 0.5 | 12 | 265 | 41
P3 | PVA | 12 | 1480 | 22 | 0.5 | 15 | 340 | 58`,
    merged: ['A1:A2', 'B1:D1', 'E1:G1', 'H1:I1'],
    tables: [
      {
        means:
          'sample_id | polymer(s) | solution_concentration | solution_viscosity | voltage | flow_rate | tip_collector_distance | fiber_diameter | fiber_diameter_variation',
        reads: `
3: P1 | PVA | 8 wt% | 310 mPa·s | 20 kV | 0.5 mL/h | 12 cm | 190 nm | 32 nm
4: P2 | PVA | 10 wt% | 720 mPa·s | 20 kV | 0.5 mL/h | 12 cm | 265 nm | 41 nm
5: P3 | PVA | 12 wt% | 1480 mPa·s | 22 kV | 0.5 mL/h | 15 cm | 340 nm | 58 nm`,
      },
    ],
  },
  {
    name: 'symbols with a unit row',
    cells: `
ID | Polymer | Solvent | c | U | Q | d | Ø fibre | SD
 | | | wt% | kV | ml/h | cm | nm | nm
M01 | PAN | DMF | 8 | 12 | 0.8 | 15 | 295 | 40
M02 | PAN | DMF | 10 | 12 | 0.8 | 15 | 430 | 55
M03 | PAN | DMAc | 10 | 15 | 0.8 | 20 | 470 | 62`,
    tables: [
      {
        means:
          'sample_id | polymer(s) | solvent(s) | solution_concentration | voltage | flow_rate | tip_collector_distance | fiber_diameter | fiber_diameter_variation',
        reads: `
3: M01 | PAN | DMF | 8 wt% | 12 kV | 0.8 mL/h | 15 cm | 295 nm | 40 nm
4: M02 | PAN | DMF | 10 wt% | 12 kV | 0.8 mL/h | 15 cm | 430 nm | 55 nm
5: M03 | PAN | DMAC | 10 wt% | 15 kV | 0.8 mL/h | 20 cm | 470 nm | 62 nm`,
      },
    ],
  },
  {
    name: 'units after commas',
    cells: `
No. | Polymer | Concentration, wt.% | Solution viscosity, Pa·s | Electrical conductivity, µS/cm | Surface tension, mN/m | Applied voltage, kV | Needle–collector distance, cm | Average fibre diameter, nm
1 | PVP | 8 | 0.12 | 1.9 | 22.4 | 15 | 12 | 310
2 | PVP | 12 | 0.48 | 2.2 | 22.9 | 15 | 12 | 650
3 | PVP | 15 | 1.35 | 2.3 | 23.1 | 18 | 15 | 980`,
    tables: [
      {
        means:
          '~sample_id | polymer(s) | solution_concentration | solution_viscosity | solution_conductivity | solution_surface_tension | voltage | tip_collector_distance | fiber_diameter',
        reads: `
2: PVP | 8 wt% | 0.12 Pa·s | 1.9 µS/cm | 22.4 mN/m | 15 kV | 12 cm | 310 nm
3: PVP | 12 wt% | 0.48 Pa·s | 2.2 µS/cm | 22.9 mN/m | 15 kV | 12 cm | 650 nm
4: PVP | 15 wt% | 1.35 Pa·s | 2.3 µS/cm | 23.1 mN/m | 18 kV | 15 cm | 980 nm`,
      },
    ],
  },
  {
    name: 'units after slashes, German',
    cells: `
Probe | Polymer | c / Gew.-% | U / kV | d / cm | Q / mL h⁻¹ | ϑ / °C | φ / % | D / nm | s / nm
V1 | PA6 | 15 | 20 | 10 | 0.3 | 22 | 38 | 120 | 18
V2 | PA6 | 18 | 20 | 10 | 0.3 | 22 | 38 | 165 | 24
V3 | PA6 | 20 | 25 | 15 | 0.3 | 23 | 41 | 210 | 37`,
    tables: [
      {
        means:
          'sample_id | polymer(s) | solution_concentration | voltage | tip_collector_distance | flow_rate | temperature | humidity | fiber_diameter | fiber_diameter_variation',
        reads: `
2: V1 | PA6 | 15 wt% | 20 kV | 10 cm | 0.3 mL/h | 22 °C | 38 % | 120 nm | 18 nm
3: V2 | PA6 | 18 wt% | 20 kV | 10 cm | 0.3 mL/h | 22 °C | 38 % | 165 nm | 24 nm
4: V3 | PA6 | 20 wt% | 25 kV | 15 cm | 0.3 mL/h | 23 °C | 41 % | 210 nm | 37 nm`,
      },
    ],
  },
  {
    name: 'cells merged down',
    cells: `
Polymer | Solvent | Concentration (% w/v) | Voltage (kV) | Feed rate (mL/h) | Collector distance (cm) | Mean diameter (nm)
PLGA | HFIP | 10 | 12 | 1 | 15 | 540
 | | 10 | 15 | 1 | 15 | 510
 | | 15 | 15 | 1 | 15 | 905
Gelatin | TFE | 10 | 15 | 0.8 | 12 | 330
 | | 12 | 15 | 0.8 | 12 | 415`,
    merged: ['A2:A4', 'B2:B4', 'A5:A6', 'B5:B6'],
    tables: [
      {
        means:
          'polymer(s) | solvent(s) | solution_concentration | voltage | flow_rate | tip_collector_distance | fiber_diameter',
        reads: `
2: PLGA | HFIP | 10 g/100 mL | 12 kV | 1 mL/h | 15 cm | 540 nm
3: PLGA | HFIP | 10 g/100 mL | 15 kV | 1 mL/h | 15 cm | 510 nm
4: PLGA | HFIP | 15 g/100 mL | 15 kV | 1 mL/h | 15 cm | 905 nm
5: GELATIN | TFE | 10 g/100 mL | 15 kV | 0.8 mL/h | 12 cm | 330 nm
6: GELATIN | TFE | 12 g/100 mL | 15 kV | 0.8 mL/h | 12 cm | 415 nm`,
      },
    ],
  },
  {
    name: 'rows of means',
    cells: `
Sample ID | Polymer | Voltage (kV) | Working distance (cm) | Fibre diameter (nm) | Date | Operator | Comments
A1-1 | PAN | 15 | 15 | 312 | 2023-03-02 | JK |
A1-2 | PAN | 15 | 15 | 327 | 2023-03-02 | JK | drops at start
A1-3 | PAN | 15 | 15 | 315 | 2023-03-03 | JK |
Mean | | 15 | 15 | =AVERAGE(E2:E4) -> 318 | | |
Std. dev. | | | | =STDEV(E2:E4) -> 7.9 | | |
A2-1 | PAN | 18 | 15 | 288 | 2023-03-06 | LM | humid day, ~60% RH
A2-2 | PAN | 18 | 15 | 301 | 2023-03-06 | LM |
Average ± SD | | | | 295 ± 9 | | |`,
    tables: [
      {
        means: 'sample_id | polymer(s) | voltage | tip_collector_distance | fiber_diameter | - | - | remarks',
        reads: `
2: A1-1 | PAN | 15 kV | 15 cm | 312 nm |
3: A1-2 | PAN | 15 kV | 15 cm | 327 nm | drops at start
4: A1-3 | PAN | 15 kV | 15 cm | 315 nm |
7: A2-1 | PAN | 18 kV | 15 cm | 288 nm | humid day, ~60% RH
8: A2-2 | PAN | 18 kV | 15 cm | 301 nm |`,
      },
    ],
  },
  {
    name: 'two tables',
    cells: `
Table 1: effect of the applied voltage
Polymer | Voltage (kV) | Distance (cm) | Flow rate (µL/min) | Fiber diameter (nm)
PEO | 10 | 15 | 5 | 240
PEO | 15 | 15 | 5 | 215
PEO | 20 | 15 | 5 | 198

Table 2: effect of the concentration
Polymer | Concentration (wt%) | Voltage (kV) | Viscosity (cP) | Fiber diameter (nm)
PEO | 3 | 15 | 180 | 150
PEO | 5 | 15 | 940 | 260`,
    tables: [
      {
        means: 'polymer(s) | voltage | tip_collector_distance | flow_rate | fiber_diameter',
        reads: `
3: PEO | 10 kV | 15 cm | 5 µL/min | 240 nm
4: PEO | 15 kV | 15 cm | 5 µL/min | 215 nm
5: PEO | 20 kV | 15 cm | 5 µL/min | 198 nm`,
      },
      {
        means: 'polymer(s) | solution_concentration | voltage | solution_viscosity | fiber_diameter',
        reads: `
9: PEO | 3 wt% | 15 kV | 180 cP | 150 nm
10: PEO | 5 wt% | 15 kV | 940 cP | 260 nm`,
      },
    ],
  },
  {
    name: 'hidden rows and columns',
    cells: `
Exp | Polymer | Solvent | Batch | Voltage [kV] | Flow rate [ml/h] | Distance [cm] | Fiber diameter [nm]
E1 | PS | DMF | 11 | 15 | 1 | 15 | 1240
E2 | PS | DMF | 11 | 15 | 1.5 | 15 | 1390
E3 | PS | DMF | 12 | 15 | 2 | 15 | 2
E4 | PS | THF | 12 | 15 | 1 | 15 | 2100`,
    hidden: [4, 'D'],
    comments: { H5: 'very broad distribution', B2: 'Mw 280 kDa, Sigma' },
    tables: [
      {
        means:
          'sample_id | polymer(s) | solvent(s) | - | voltage | flow_rate | tip_collector_distance | fiber_diameter',
        reads: `
2: E1 | PS | DMF | 15 kV | 1 mL/h | 15 cm | 1240 nm
3: E2 | PS | DMF | 15 kV | 1.5 mL/h | 15 cm | 1390 nm
5: E4 | PS | THF | 15 kV | 1 mL/h | 15 cm | 2100 nm`,
      },
    ],
  },
  {
    name: 'German workbook',
    cells: `
Versuchsreihe Elektrospinnen, PCL in Chloroform/Ethanol, Februar
Versuch | Polymer | Lösungsmittel | Konzentration [Gew.-%] | Spannung [kV] | Abstand [cm] | Flussrate [ml/h] | Luftfeuchte [%] | Temperatur [°C] | Faserdurchmesser [µm] | Standardabweichung [µm] | Bemerkung
V-01 | PCL | Chloroform/Ethanol | 10 | 14 | 15 | 1,5 | 35 | 21 | 1,25 | 0,21 | tropft am Anfang
V-02 | PCL | Chloroform/Ethanol | 12 | 14 | 15 | 1,5 | 36 | 21 | 1,62 | 0,25 |
V-03 | PCL | Chloroform/Ethanol | 14 | 16 | 15 | 1,5 | k. A. | 22 | 2,08 | 0,4 | Düse verstopft`,
    tables: [
      {
        means:
          'sample_id | polymer(s) | solvent(s) | solution_concentration | voltage | tip_collector_distance | flow_rate | humidity | temperature | fiber_diameter | fiber_diameter_variation | remarks',
        reads: `
3: V-01 | PCL | CHLOROFORM + ETHANOL | 10 wt% | 14 kV | 15 cm | 1.5 mL/h | 35 % | 21 °C | 1.25 µm | 0.21 µm | tropft am Anfang
4: V-02 | PCL | CHLOROFORM + ETHANOL | 12 wt% | 14 kV | 15 cm | 1.5 mL/h | 36 % | 21 °C | 1.62 µm | 0.25 µm |
5: V-03 | PCL | CHLOROFORM + ETHANOL | 14 wt% | 16 kV | 15 cm | 1.5 mL/h | | 22 °C | 2.08 µm | 0.4 µm | Düse verstopft`,
      },
    ],
  },
  {
    name: 'German CSV',
    csv: `Proben-Nr.;Polymer;Lösemittel;Massenanteil (%);Hochspannung (kV);Elektrodenabstand (mm);Förderrate (µl/min);Nadel;mittlerer Faserdurchmesser (nm);Morphologie
1;PVDF;DMF/Aceton;18,0;15,0;150;10,0;21G;410,5;Perlen
2;PVDF;DMF/Aceton;20,0;15,0;150;10,0;21G;520,0;glatt
3;PVDF;DMF/Aceton;22,5;17,5;200;12,5;21G;1.040,0;glatt
`,
    tables: [
      {
        means:
          'sample_id | polymer(s) | solvent(s) | solution_concentration | voltage | tip_collector_distance | flow_rate | needle_definition | fiber_diameter | morphology',
        reads: `
2: 1 | PVDF | DMF + ACETONE | 18 wt% or 18 % | 15 kV | 150 mm | 10 µL/min | 21 G | 410.5 nm | Bead
3: 2 | PVDF | DMF + ACETONE | 20 wt% or 20 % | 15 kV | 150 mm | 10 µL/min | 21 G | 520 nm | Smooth
4: 3 | PVDF | DMF + ACETONE | 22.5 wt% or 22.5 % | 17.5 kV | 200 mm | 12.5 µL/min | 21 G | 1040 nm | Smooth`,
      },
    ],
  },
  {
    name: 'Chinese',
    cells: `
表1 静电纺丝工艺参数
样品编号 | 聚合物 | 溶剂 | 质量分数（%） | 电压（kV） | 推进速度（mL/h） | 接收距离（cm） | 温度（℃） | 相对湿度（%） | 平均直径（nm） | 备注
S1 | PVDF | DMF/丙酮 | 12 | 15 | 1.0 | 15 | 25 | 40 | 320±45 |
S2 | PVDF | DMF/丙酮 | 14 | 15 | 1.0 | 15 | 25 | 40 | 415±60 | 有珠粒
S3 | 聚乙烯醇 | 水 | 10 | 18 | 0.5 | 12 | 26 | 未测 | 未测 | 无纤维`,
    tables: [
      {
        means:
          'sample_id | polymer(s) | solvent(s) | solution_concentration | voltage | flow_rate | tip_collector_distance | temperature | humidity | fiber_diameter | remarks',
        reads: `
3: S1 | PVDF | DMF + ACETONE | 12 wt% or 12 % | 15 kV | 1 mL/h | 15 cm | 25 °C | 40 % | 320 nm ± 45 nm |
4: S2 | PVDF | DMF + ACETONE | 14 wt% or 14 % | 15 kV | 1 mL/h | 15 cm | 25 °C | 40 % | 415 nm ± 60 nm | 有珠粒
5: S3 | PVA | WATER | 10 wt% or 10 % | 18 kV | 0.5 mL/h | 12 cm | 26 °C | | | 无纤维`,
      },
    ],
  },
  {
    name: 'Origin',
    cells: `
 | A(X) | B(Y) | C(Y) | D(Y) | E(Y) | F(yEr±)
Long Name | Polymer | Concentration | Voltage | Flow rate | Fiber diameter | SD
Units | | wt% | kV | mL/h | nm | nm
Comments | | | | | n = 60 |
1 | PVA | 8 | 18 | 0.5 | 205 | 30
2 | PVA | 9 | 18 | 0.5 | 242 | 38
3 | PVA | 10 | 18 | 0.5 | 291 | 44`,
    tables: [
      {
        means:
          '- | polymer(s) | solution_concentration | voltage | flow_rate | fiber_diameter | fiber_diameter_variation',
        reads: `
5: PVA | 8 wt% | 18 kV | 0.5 mL/h | 205 nm | 30 nm
6: PVA | 9 wt% | 18 kV | 0.5 mL/h | 242 nm | 38 nm
7: PVA | 10 wt% | 18 kV | 0.5 mL/h | 291 nm | 44 nm`,
      },
    ],
  },
  {
    name: 'ImageJ results next to the settings',
    cells: `
Sample | Polymer | Voltage (kV) | Distance (cm) | Fiber diameter (nm) | | | Label | Area | Mean | Min | Max | Angle | Length
S1 | PCL | 15 | 15 | 512 | | 1 | S1_01.tif | 0.012 | 118.2 | 80 | 171 | -45.2 | 0.498
S2 | PCL | 18 | 15 | 476 | | 2 | S1_01.tif | 0.011 | 121.7 | 77 | 180 | 12.8 | 0.523
 | | | | | | 3 | S1_01.tif | 0.013 | 115.0 | 81 | 169 | 88.1 | 0.515
 | | | | | | 4 | S2_01.tif | 0.010 | 109.4 | 75 | 166 | -3.4 | 0.476`,
    tables: [
      {
        means:
          'sample_id | polymer(s) | voltage | tip_collector_distance | fiber_diameter | . | - | - | - | - | - | - | - | -',
        reads: `
2: S1 | PCL | 15 kV | 15 cm | 512 nm
3: S2 | PCL | 18 kV | 15 cm | 476 nm`,
      },
    ],
  },
  {
    name: 'experiments in columns',
    cells: `
Parameter | Unit | Run 1 | Run 2 | Run 3
Polymer | - | PLA | PLA | PLA
Solvent | - | DCM/DMF | DCM/DMF | DCM
Concentration | wt% | 8 | 10 | 10
Voltage | kV | 15 | 15 | 20
Flow rate | mL/h | 1 | 1 | 0.5
Distance | cm | 15 | 15 | 15
Relative humidity | % | 45 | 45 | 52
Mean fiber diameter | nm | 420 | 615 | 880
Remarks | | beads | | porous surface`,
    isTransposed: true,
    tables: [
      {
        means:
          '~sample_id | polymer(s) | solvent(s) | solution_concentration | voltage | flow_rate | tip_collector_distance | humidity | fiber_diameter | remarks',
        reads: `
C: PLA | DCM + DMF | 8 wt% | 15 kV | 1 mL/h | 15 cm | 45 % | 420 nm | beads
D: PLA | DCM + DMF | 10 wt% | 15 kV | 1 mL/h | 15 cm | 45 % | 615 nm |
E: PLA | DCM | 10 wt% | 20 kV | 0.5 mL/h | 15 cm | 52 % | 880 nm | porous surface`,
      },
    ],
  },
  {
    name: 'experiments in columns, units in the labels',
    cells: `
Summary of trials (PVA, spring)
 | T1 | T2 | T3 | T4
Polymer | PVA | PVA | PVA | PVA/PEO
Polymer conc. (% w/v) | 8 | 10 | 12 | 8
Solvent | DI water | DI water | DI water | DI water
Needle gauge | 22G | 22G | 22G | 20G
Voltage (kV) | 20 | 20 | 22 | 20
Flow rate (mL/h) | 0.5 | 0.5 | 0.3 | 0.5
Gap (cm) | 12 | 12 | 15 | 12
Fibre diameter (nm) | 180 ± 25 | 240 ± 31 | n/a | 210 ± 28`,
    isTransposed: true,
    tables: [
      {
        means:
          '. | ~sample_id | polymer(s) | solution_concentration | solvent(s) | needle_definition | voltage | flow_rate | tip_collector_distance | fiber_diameter',
        reads: `
B: PVA | 8 g/100 mL | WATER or DEIONIZED_WATER | 22 G | 20 kV | 0.5 mL/h | 12 cm | 180 nm ± 25 nm
C: PVA | 10 g/100 mL | WATER or DEIONIZED_WATER | 22 G | 20 kV | 0.5 mL/h | 12 cm | 240 nm ± 31 nm
D: PVA | 12 g/100 mL | WATER or DEIONIZED_WATER | 22 G | 22 kV | 0.3 mL/h | 15 cm |
E: PVA + PEO | 8 g/100 mL | WATER or DEIONIZED_WATER | 20 G | 20 kV | 0.5 mL/h | 12 cm | 210 nm ± 28 nm`,
      },
    ],
  },
  {
    name: 'ranges of a review',
    cells: `
Polymer | Solvent | Voltage (kV) | Flow rate (mL/h) | Distance (cm) | Fiber diameter (nm) | DOI
PVA | water | 10–12 | 0.5 | 15 | 200–300 | https://doi.org/10.1016/j.polymer.2015.01.001
Chitosan/PEO | acetic acid | 15 to 20 | 0.6–1.0 | 10-15 | 80 - 120 | 10.1021/bm050000x
PCL | CHCl3 | 18 | 1 | 12 | ≈ 900 | doi:10.1002/app.12345
PA6 | formic acid | ~20 | <0.5 | 10 | > 60 | https://pubs.acs.org/doi/10.1021/am900000q`,
    tables: [
      {
        means: 'polymer(s) | solvent(s) | voltage | flow_rate | tip_collector_distance | fiber_diameter | doi',
        reads: `
2: PVA | WATER | ? | 0.5 mL/h | 15 cm | ? | 10.1016/j.polymer.2015.01.001
3: CS + PEO | ACETIC_ACID | ? | ? | ? | ? | 10.1021/bm050000x
4: PCL | CHLOROFORM | 18 kV | 1 mL/h | 12 cm | 900 nm | 10.1002/app.12345
5: PA6 | FORMIC_ACID | 20 kV | ? | 10 cm | ? | 10.1021/am900000q`,
      },
    ],
  },
  {
    name: 'means with deviations and counts',
    cells: `
Code | Polymer | Conc. (wt.%) | Fibre diameter ± SD (nm) | Tensile strength (MPa) | Young's modulus (MPa) | Elongation at break (%) | Contact angle (°)
F1 | PCL | 10 | 240±30 (n=100) | 2.1 ± 0.3^{a} | 8.4 ± 1.1^{a} | 112 ± 15^{a} | 128 ± 3
F2 | PCL/gelatin | 10 | 310 ± 45 (n = 100) | 3.4 ± 0.4^{b} | 15.2 ± 2.0^{b} | 64 ± 9^{b} | 41 ± 5
F3 | Gelatin | 12 | 190 ± 22 | 1.2 ± 0.2^{c} | 41 ± 6^{c} | 7.5 ± 1.4^{c} | –`,
    tables: [
      {
        means:
          'sample_id | polymer(s) | solution_concentration | fiber_diameter | tensile_strength | modulus | elongation_at_break | wettability',
        reads: `
2: F1 | PCL | 10 wt% | 240 nm ± 30 nm n 100 | 2.1 MPa or ? | 8.4 MPa or ? | 112 % or ? | 128 °
3: F2 | PCL + GELATIN | 10 wt% | 310 nm ± 45 nm n 100 | 3.4 MPa or ? | 15.2 MPa or ? | 64 % or ? | 41 °
4: F3 | GELATIN | 12 wt% | 190 nm ± 22 nm | 1.2 MPa or ? | 41 MPa or ? | 7.5 % or ? |`,
      },
    ],
  },
  {
    name: 'units in the cells',
    cells: `
Sample | Polymer | Concentration | Voltage | Flow rate | Distance | Needle | Temp | RH | Time | Diameter
a | PLLA | 10 wt% | 15 kV | 1 mL/h | 15 cm | 21G | 23 °C | 45% | 30 min | 640 nm
b | PLLA | 12 wt.% | 15kV | 1.0 ml/hr | 150 mm | 21 G | 23°C | 45 % RH | 1 h | 0.82 µm
c | PLLA | 12 % (w/v) | 18.5 kV | 20 µL/min | 18cm | 22 gauge | 298 K | 50 % | 2h | 790nm`,
    tables: [
      {
        means:
          'sample_id | polymer(s) | solution_concentration | voltage | flow_rate | tip_collector_distance | needle_definition | temperature | humidity | spinning_duration | fiber_diameter',
        reads: `
2: a | PLLA | 10 wt% | 15 kV | 1 mL/h | 15 cm | 21 G | 23 °C | 45 % | 30 min | 640 nm
3: b | PLLA | 12 wt% | 15 kV | 1 mL/h | 15 cm | 21 G | 23 °C | 45 % | 60 min | 820 nm
4: c | PLLA | 12 g/100 mL | 18.5 kV | 1.2 mL/h | 18 cm | 22 G | 298 K | 50 % | 120 min | 790 nm`,
      },
    ],
  },
  {
    name: 'number formats',
    cells: `
Run | Polymer | Concentration | Voltage | Flow rate | Distance | RH | Fibre dia.
R1 | PMMA | 0.08{0.0%} | 15{0.0" kV"} | 1.5{0.00" mL/h"} | 12{0 "cm"} | 0.4{0%} | 1250{#,##0" nm"}
R2 | PMMA | 0.1{0.0%} | 15{0.0" kV"} | 1.5{0.00" mL/h"} | 12{0 "cm"} | 0.42{0%} | 1480{#,##0" nm"}
R3 | PMMA | 0.125{0.0%} | 17.5{0.0" kV"} | 2{0.00" mL/h"} | 15{0 "cm"} | 0.385{0%} | 1910{#,##0" nm"}`,
    tables: [
      {
        means:
          'sample_id | polymer(s) | solution_concentration | voltage | flow_rate | tip_collector_distance | humidity | fiber_diameter',
        reads: `
2: R1 | PMMA | 8 % or 8 wt% | 15 kV | 1.5 mL/h | 12 cm | 40 % | 1250 nm
3: R2 | PMMA | 10 % or 10 wt% | 15 kV | 1.5 mL/h | 12 cm | 42 % | 1480 nm
4: R3 | PMMA | 12.5 % or 12.5 wt% | 17.5 kV | 2 mL/h | 15 cm | 38.5 % | 1910 nm`,
      },
    ],
  },
  {
    name: 'powers of ten',
    cells: `
Sample | Polymer | Zero-shear viscosity η_{0} (mPa s) | Conductivity σ (S/m) | Surface tension γ (mN m^{−1}) | Voltage (V) | Flow rate (m^{3}/s) | Fiber diameter (m)
1 | PEO | 1.5×10^{3} | 2.0×10^{−3} | 61.2 | 1.2E+04 | 2.8E-10 | 2.4E-07
2 | PEO | 4.2 × 10^{3} | 3.5 × 10^{−3} | 60.8 | 1.5E+04 | 2.8E-10 | 3.1E-07
3 | PEO | 1.1×10⁴ | 4.1·10⁻³ | 60.1 | 15000 | 2.8×10⁻¹⁰ | 4.6×10^{-7}`,
    tables: [
      {
        means:
          'sample_id | polymer(s) | solution_viscosity | solution_conductivity | solution_surface_tension | voltage | flow_rate | fiber_diameter',
        reads: `
2: 1 | PEO | 1500 mPa·s | 0.002 S/m | 61.2 mN/m | 12 kV | 1.008 mL/h | 240 nm
3: 2 | PEO | 4200 mPa·s | 0.0035 S/m | 60.8 mN/m | 15 kV | 1.008 mL/h | 310 nm
4: 3 | PEO | 11000 mPa·s | 0.0041 S/m | 60.1 mN/m | 15 kV | 1.008 mL/h | 460 nm`,
      },
    ],
  },
  {
    name: 'uncommon units',
    cells: `
Trial | Polymer | Conc (mg/mL) | Voltage (kV) | Pump rate (mL/day) | Gap (in) | Room temp (°F) | Needle ID (µm) | Fiber dia (Å) | Mat thickness (µm)
1 | Silk fibroin | 80 | 12 | 12 | 6 | 72 | 410 | 4200 | 45
2 | Silk fibroin | 100 | 12 | 12 | 6 | 73 | 410 | 5600 | 52
3 | Collagen | 80 | 15 | 14.4 | 8 | 70 | 600 | 3100 | 38`,
    tables: [
      {
        means:
          '~sample_id | polymer(s) | solution_concentration | voltage | flow_rate | tip_collector_distance | temperature | needle_definition | fiber_diameter | -',
        reads: `
2: SILK_FIBROIN or SF | 80 mg/mL | 12 kV | 0.5 mL/h | 6 in | 72 °F | 0.41 mm | 420 nm
3: SILK_FIBROIN or SF | 100 mg/mL | 12 kV | 0.5 mL/h | 6 in | 73 °F | 0.41 mm | 560 nm
4: COLLAGEN | 80 mg/mL | 15 kV | 0.6 mL/h | 8 in | 70 °F | 0.6 mm | 310 nm`,
      },
    ],
  },
  {
    name: 'humidity as a fraction',
    cells: `
Sample | Polymer | Weight fraction | Voltage (kV) | RH | T (°C) | Porosity | Fiber diameter (µm)
H1 | PS | 0.2 | 15 | 0.25 | 22 | 0.91 | 2.4
H2 | PS | 0.2 | 15 | 0.45 | 22 | 0.93 | 2.9
H3 | PS | 0.25 | 15 | 0.65 | 22 | 0.88 | 4.1`,
    tables: [
      {
        means:
          'sample_id | polymer(s) | solution_concentration | voltage | humidity | temperature | porosity | fiber_diameter',
        reads: `
2: H1 | PS | 20 wt% or 20 % | 15 kV | 25 % | 22 °C | 91 % | 2.4 µm
3: H2 | PS | 20 wt% or 20 % | 15 kV | 45 % | 22 °C | 93 % | 2.9 µm
4: H3 | PS | 25 wt% or 25 % | 15 kV | 65 % | 22 °C | 88 % | 4.1 µm`,
      },
    ],
  },
  {
    name: 'polymers with molar masses',
    cells: `
Polymer (molecular weight) | Solvent | Concentration (wt%) | Voltage (kV) | Distance (cm) | Average diameter (nm)
PCL (Mn 80,000) | acetone | 10 | 15 | 15 | 480
PVA (Mw 89-98 kDa) | deionized water | 10 | 20 | 12 | 230
PEO (Mw = 900 kDa, Sigma-Aldrich) | water | 4 | 12 | 15 | 260
PLGA 75:25 (Mw 97 kDa) | HFIP | 12 | 14 | 15 | 710
PVP K90 | ethanol | 8 | 12 | 15 | 390
PAN, Mw = 150000 g/mol | DMF | 9 | 16 | 18 | 350`,
    tables: [
      {
        means: 'polymer(s) | solvent(s) | solution_concentration | voltage | tip_collector_distance | fiber_diameter',
        reads: `
2: PCL @80000 g/mol | ACETONE | 10 wt% | 15 kV | 15 cm | 480 nm
3: PVA | WATER or DEIONIZED_WATER | 10 wt% | 20 kV | 12 cm | 230 nm
4: PEO @900 kDa | WATER | 4 wt% | 12 kV | 15 cm | 260 nm
5: PLGA @97 kDa | HFIP | 12 wt% | 14 kV | 15 cm | 710 nm
6: PVP | ETHANOL | 8 wt% | 12 kV | 15 cm | 390 nm
7: PAN @150000 g/mol | DMF | 9 wt% | 16 kV | 18 cm | 350 nm`,
      },
    ],
  },
  {
    name: 'solvents with shares',
    cells: `
Sample | Polymer | Solvent system | Concentration (w/v %) | Voltage (kV) | Fibre diameter (nm)
1 | PCL | DMF/acetone (7/3, v/v) | 12 | 15 | 540
2 | PCL | chloroform:methanol 3:1 (v/v) | 12 | 15 | 830
3 | PVDF | 70% DMF + 30% acetone | 18 | 15 | 350
4 | PVB | ethanol/water (80/20 w/w) | 10 | 18 | 460
5 | PCL | DCM:DMF = 1:1 | 12 | 18 | 610
6 | CA | Acetone–DMAc (2:1 v/v) | 15 | 12 | 720
7 | PCL | formic acid/acetic acid (50:50) | 14 | 20 | 160`,
    tables: [
      {
        means: 'sample_id | polymer(s) | solvent(s) | solution_concentration | voltage | fiber_diameter',
        reads: `
2: 1 | PCL | DMF 7 v + ACETONE 3 v | 12 g/100 mL | 15 kV | 540 nm
3: 2 | PCL | CHLOROFORM 3 v + METHANOL 1 v | 12 g/100 mL | 15 kV | 830 nm
4: 3 | PVDF | DMF 7 + ACETONE 3 | 18 g/100 mL | 15 kV | 350 nm
5: 4 | PVB | ETHANOL 8 w + WATER 2 w | 10 g/100 mL | 18 kV | 460 nm
6: 5 | PCL | DCM 1 + DMF 1 | 12 g/100 mL | 18 kV | 610 nm
7: 6 | CA | ACETONE 2 v + DMAC 1 v | 15 g/100 mL | 12 kV | 720 nm
8: 7 | PCL | FORMIC_ACID 1 + ACETIC_ACID 1 | 14 g/100 mL | 20 kV | 160 nm`,
      },
    ],
  },
  {
    name: 'solvent ratio in its own column',
    cells: `
Entry | Polymer blend | Blend ratio (w/w) | Solvents | Solvent ratio (v/v) | Total conc. (wt%) | Voltage (kV) | Fiber diameter (nm)
1 | PVA/chitosan | 90/10 | water/acetic acid | 1:1 | 7 | 18 | 175
2 | PVA/chitosan | 80/20 | water/acetic acid | 1:1 | 7 | 18 | 160
3 | PCL/gelatin | 70/30 | TFE | | 10 | 15 | 420`,
    tables: [
      {
        means:
          'sample_id | polymer(s) | polymer_components | solvent(s) | solvent_components | solution_concentration | voltage | fiber_diameter',
        reads: `
2: 1 | PVA 9 w + CS 1 w | | WATER 1 v + ACETIC_ACID 1 v | | 7 wt% | 18 kV | 175 nm
3: 2 | PVA 8 w + CS 2 w | | WATER 1 v + ACETIC_ACID 1 v | | 7 wt% | 18 kV | 160 nm
4: 3 | PCL 7 w + GELATIN 3 w | | TFE | | 10 wt% | 15 kV | 420 nm`,
      },
    ],
  },
  {
    name: 'needles',
    cells: `
Polymer | Needle | Voltage (kV) | Flow (ml/h) | Needle to collector distance (cm) | Collector | Fibre Ø (nm)
PVP | 21G (0.51 mm ID) | 12 | 1 | 15 | Al foil | 520
PVP | 0.8 mm ID | 12 | 1 | 15 | Al foil | 560
PVP | 18 G blunt | 12 | 1 | 15 | Rotating drum | 610
PVP | 22-gauge | 12 | 1 | 15 | grounded copper plate | 480
PVP | ID 0.41 mm, OD 0.72 mm | 12 | 1 | 15 | Al foil | 475
PVP | 0,6 mm | 12 | 1 | 15 | Al foil | 540`,
    tables: [
      {
        means:
          'polymer(s) | needle_definition | voltage | flow_rate | tip_collector_distance | collector_type | fiber_diameter',
        reads: `
2: PVP | 21 G ID 0.51 mm | 12 kV | 1 mL/h | 15 cm | Al foil | 520 nm
3: PVP | 0.8 mm | 12 kV | 1 mL/h | 15 cm | Al foil | 560 nm
4: PVP | 18 G | 12 kV | 1 mL/h | 15 cm | Rotating drum | 610 nm
5: PVP | 22 G | 12 kV | 1 mL/h | 15 cm | grounded copper plate | 480 nm
6: PVP | 0.41 mm OD 0.72 mm | 12 kV | 1 mL/h | 15 cm | Al foil | 475 nm
7: PVP | 0.6 mm | 12 kV | 1 mL/h | 15 cm | Al foil | 540 nm`,
      },
    ],
  },
  {
    name: 'literature table with references',
    cells: `
Ref. | Authors | Year | DOI | Polymer | Solvent | c (wt.%) | V (kV) | Q (mL/h) | TCD (cm) | AFD (nm)
[12] | Smith et al. | 2015 | https://doi.org/10.1016/j.eurpolymj.2015.03.012 | Nylon 6 | Formic acid | 20 | 25 | 0.1 | 10 | 105
[13] | Müller & Chen | 2018 | http://dx.doi.org/10.1002/polb.24567 | PVAc | EtOH | 15 | 12 | 1 | 15 | 820
[14] | Rossi, 2020 | 2020 | 10.3390/polym12010123 | Zein | 80% ethanol | 30 | 20 | 1 | 12 | 510
[15] | Kim et al. | 2021 | N/A | Cellulose acetate | acetone/DMAc | 17 | 17 | 2 | 15 | 690`,
    tables: [
      {
        means:
          '- | - | - | doi | polymer(s) | solvent(s) | solution_concentration | voltage | flow_rate | tip_collector_distance | fiber_diameter',
        reads: `
2: 10.1016/j.eurpolymj.2015.03.012 | NYLON_6 or PA6 | FORMIC_ACID | 20 wt% | 25 kV | 0.1 mL/h | 10 cm | 105 nm
3: 10.1002/polb.24567 | PVAC | ETHANOL | 15 wt% | 12 kV | 1 mL/h | 15 cm | 820 nm
4: 10.3390/polym12010123 | ZEIN | ETHANOL 80 | 30 wt% | 20 kV | 1 mL/h | 12 cm | 510 nm
5: | CA | ACETONE + DMAC | 17 wt% | 17 kV | 2 mL/h | 15 cm | 690 nm`,
      },
    ],
  },
  {
    name: 'empty words',
    cells: `
Sample | Polymer | Concentration (wt%) | Voltage (kV) | Conductivity (mS/cm) | Temperature (°C) | Humidity (%) | Fiber diameter (nm) | Contact angle (deg)
N1 | PAN | 8 | 15 | n.d. | 23 | - | 280 | n.m.
N2 | PAN | 10 | 15 | 0.12 | RT | — | 360 | 118
N3 | PAN | 12 | not recorded | N/A | room temp. | unknown | no fibers | n.a.
N4 | PAN | 12 | 18 | / | ambient | ? | 540 | TBD`,
    tables: [
      {
        means:
          'sample_id | polymer(s) | solution_concentration | voltage | solution_conductivity | temperature | humidity | fiber_diameter | wettability',
        reads: `
2: N1 | PAN | 8 wt% | 15 kV | | 23 °C | | 280 nm |
3: N2 | PAN | 10 wt% | 15 kV | 0.12 mS/cm | ? | | 360 nm | 118 °
4: N3 | PAN | 12 wt% | | | ? | | |
5: N4 | PAN | 12 wt% | 18 kV | | ? | | 540 nm |`,
      },
    ],
  },
  {
    name: 'metadata above, footer below',
    cells: `
Electrospinning log
Operator: | A. Weber
Date: | 2022-11-14
Setup: | horizontal, climate chamber

# | Polymer | Solvent | wt% | kV | mL/h | cm | °C | %RH | Ø [nm] | Comment
1 | PEO | water | 4 | 10 | 0.5 | 15 | 22 | 40 | 250 | ok
2 | PEO | water | 5 | 10 | 0.5 | 15 | 22 | 40 | 310 | ok
3 | PEO | water | 6 | 12 | 0.5 | 15 | 22 | 41 | 385 | nozzle dries out

Notes: sample 3 repeated next week
Checked by: MB, 2022-11-20`,
    tables: [
      {
        means:
          '~sample_id | polymer(s) | solvent(s) | solution_concentration | voltage | flow_rate | tip_collector_distance | temperature | humidity | fiber_diameter | remarks',
        reads: `
7: PEO | WATER | 4 wt% | 10 kV | 0.5 mL/h | 15 cm | 22 °C | 40 % | 250 nm | ok
8: PEO | WATER | 5 wt% | 10 kV | 0.5 mL/h | 15 cm | 22 °C | 40 % | 310 nm | ok
9: PEO | WATER | 6 wt% | 12 kV | 0.5 mL/h | 15 cm | 22 °C | 41 % | 385 nm | nozzle dries out`,
      },
    ],
  },
  {
    name: 'typographic spaces and dashes',
    cells: `
Sample | Polymer | Concentration (wt %) | Applied voltage (kV) | Flow rate (mL·h⁻¹) | Tip‐to‐collector distance (cm) | Temperature (°C) | Fiber diameter (nm)
T‑1 | PVDF–HFP | 15 | 15 kV | 1 | 15 | 25 | 420 ± 60
T‑2 | poly(vinylidene fluoride) | 18 | 18 | 1 | 15 | 25 | 1 050 ± 130
T‑3 | PVDF‑TrFE | 20 | 18 | 1.5 | 15 | −5 | 680±75`,
    tables: [
      {
        means:
          'sample_id | polymer(s) | solution_concentration | voltage | flow_rate | tip_collector_distance | temperature | fiber_diameter',
        reads: `
2: T‑1 | PVDF_HFP | 15 wt% | 15 kV | 1 mL/h | 15 cm | 25 °C | 420 nm ± 60 nm
3: T‑2 | PVDF | 18 wt% | 18 kV | 1 mL/h | 15 cm | 25 °C | 1050 nm ± 130 nm
4: T‑3 | PVDF_TRFE | 20 wt% | 18 kV | 1.5 mL/h | 15 cm | -5 °C | 680 nm ± 75 nm`,
      },
    ],
  },
  {
    name: 'full-width characters',
    cells: `
编号 | 高分子 | 溶剂 | 浓度／ｗｔ％ | 电压／ｋＶ | 流量（ｍＬ／ｈ） | 纺丝距离（ｃｍ） | 纤维直径（ｎｍ）
１ | ＰＶＡ | 去离子水 | '１０ | '１８ | '０．５ | '１５ | '２８０±３５
２ | ＰＡＮ | ＤＭＦ | '１２ | '１５ | '１．０ | '１５ | '３６０～４２０
３ | ＰＣＬ | 氯仿：甲醇（３：１） | '１０ | '１５ | '１．０ | '１５ | '７２０`,
    tables: [
      {
        means:
          'sample_id | polymer(s) | solvent(s) | solution_concentration | voltage | flow_rate | tip_collector_distance | fiber_diameter',
        reads: `
2: 1 or １ | PVA | WATER or DEIONIZED_WATER | 10 wt% | 18 kV | 0.5 mL/h | 15 cm | 280 nm ± 35 nm
3: 2 or ２ | PAN | DMF | 12 wt% | 15 kV | 1 mL/h | 15 cm | ?
4: 3 or ３ | PCL | CHLOROFORM 3 + METHANOL 1 | 10 wt% | 15 kV | 1 mL/h | 15 cm | 720 nm`,
      },
    ],
  },
  {
    name: 'blank rows and columns',
    cells: `


 | | Polymer | | Voltage (kV) | Flow rate (mL/h) | | Distance (cm) | | Diameter (nm) | St. dev. (nm)

 | | PU | | 15 | 1 | | 15 | | 740 | 95
 | | PU | | 18 | 1 | | 15 | | 690 | 88

 | | TPU | | 18 | 1.2 | | 20 | | 815 | 120

 | | TPU | | 20 | 1.2 | | 20 | | 780 | 101`,
    tables: [
      {
        means:
          '. | . | polymer(s) | . | voltage | flow_rate | . | tip_collector_distance | . | fiber_diameter | fiber_diameter_variation',
        reads: `
5: PU | 15 kV | 1 mL/h | 15 cm | 740 nm | 95 nm
6: PU | 18 kV | 1 mL/h | 15 cm | 690 nm | 88 nm
8: TPU | 18 kV | 1.2 mL/h | 20 cm | 815 nm | 120 nm
10: TPU | 20 kV | 1.2 mL/h | 20 cm | 780 nm | 101 nm`,
      },
    ],
  },
  {
    name: 'Box-Behnken design',
    cells: `
Std | Run | Coded | | | Actual | | | Response |
 | | A | B | C | X1: Concentration (wt%) | X2: Voltage (kV) | X3: Distance (cm) | Y: Fiber diameter (nm) | Predicted (nm)
5 | 1 | -1 | 0 | -1 | 8 | 20 | 10 | 212 | 208
12 | 2 | 0 | 1 | 1 | 10 | 25 | 20 | 268 | 275
13 | 3 | 0 | 0 | 0 | 10 | 20 | 15 | 251 | 249
2 | 4 | 1 | -1 | 0 | 12 | 15 | 15 | 340 | 331`,
    merged: ['C1:E1', 'F1:H1', 'I1:J1'],
    tables: [
      {
        means:
          '- | ~sample_id | - | - | - | solution_concentration | voltage | tip_collector_distance | fiber_diameter | -',
        reads: `
3: 8 wt% | 20 kV | 10 cm | 212 nm
4: 10 wt% | 25 kV | 20 cm | 268 nm
5: 10 wt% | 20 kV | 15 cm | 251 nm
6: 12 wt% | 15 kV | 15 cm | 340 nm`,
      },
    ],
  },
  {
    name: 'Taguchi factors',
    cells: `
Exp. No. | Polymer concentration (wt.%) | Applied voltage (kV) | Feed rate (mL/h) | Spinning distance (cm) | Avg. fiber diameter (nm) | S/N ratio (dB)
1 | 8 | 12 | 0.3 | 10 | 186.4 | -45.41
2 | 8 | 15 | 0.6 | 15 | 171.9 | -44.71
3 | 10 | 12 | 0.6 | 20 | 243.0 | -47.71
Optimum | 8 | 15 | 0.3 | 15 | 158.2 | -43.98`,
    tables: [
      {
        means: 'sample_id | solution_concentration | voltage | flow_rate | tip_collector_distance | fiber_diameter | -',
        reads: `
2: 1 | 8 wt% | 12 kV | 0.3 mL/h | 10 cm | 186.4 nm
3: 2 | 8 wt% | 15 kV | 0.6 mL/h | 15 cm | 171.9 nm
4: 3 | 10 wt% | 12 kV | 0.6 mL/h | 20 cm | 243 nm
5: Optimum | 8 wt% | 15 kV | 0.3 mL/h | 15 cm | 158.2 nm`,
      },
    ],
  },
  {
    name: 'lab notebook with observations',
    cells: `
Trial | Polymer | Solvent | % (w/w) | Voltage | Flow | Dist. | Jet | Spinnable? | Morphology | Notes
3/14-1 | PVA | water | 7 | 15 kV | 0.5 ml/h | 12 cm | dripping | N | droplets | too thin
3/14-2 | PVA | water | 9 | 15 kV | 0.5 ml/h | 12 cm | whipping | Y | beads | few beads
3/14-3 | PVA | water | 11 | 15 kV | 0.5 ml/h | 12 cm | stable | Y | smooth, ribbon | best so far!
3/15-1 | PVA | water | 11 | 20 kV | 0.5 ml/h | 12 cm | multiple jets | Y | beads-on-string | ~~repeat~~ done`,
    tables: [
      {
        means:
          'sample_id | polymer(s) | solvent(s) | solution_concentration | voltage | flow_rate | tip_collector_distance | process_instability | was_formation_stable | morphology | remarks',
        reads: `
2: 3/14-1 | PVA | WATER | 7 wt% | 15 kV | 0.5 mL/h | 12 cm | Dripping | no | Droplet | too thin
3: 3/14-2 | PVA | WATER | 9 wt% | 15 kV | 0.5 mL/h | 12 cm | Whipping | yes | Bead | few beads
4: 3/14-3 | PVA | WATER | 11 wt% | 15 kV | 0.5 mL/h | 12 cm | ? or | yes | Smooth; Ribbon | best so far!
5: 3/15-1 | PVA | WATER | 11 wt% | 20 kV | 0.5 mL/h | 12 cm | Multiple jets | yes | Beads-on-string | ? or done`,
      },
    ],
  },
  {
    name: 'section rows and ditto marks',
    cells: `
Sample | Polymer | Solvent | Conc. [%] | Voltage [kV] | Flow rate [mL/h] | Distance [cm] | Fiber diameter [nm]
Effect of concentration | | | | | | |
C1 | PAN | DMF | 8 | 15 | 1 | 15 | 290
C2 | 〃 | 〃 | 10 | 〃 | 〃 | 〃 | 410
C3 | " | " | 12 | " | " | " | 590
Effect of voltage | | | | | | |
U1 | PAN | DMF | 10 | 12 | 1 | 15 | 455
U2 | PAN | DMF | 10 | 18 | 1 | 15 | 380`,
    merged: ['A2:H2', 'A6:H6'],
    tables: [
      {
        means:
          'sample_id | polymer(s) | solvent(s) | solution_concentration | voltage | flow_rate | tip_collector_distance | fiber_diameter',
        reads: `
3: C1 | PAN | DMF | 8 wt% or 8 % | 15 kV | 1 mL/h | 15 cm | 290 nm
4: C2 | PAN | DMF | 10 wt% or 10 % | 15 kV | 1 mL/h | 15 cm | 410 nm
5: C3 | PAN | DMF | 12 wt% or 12 % | 15 kV | 1 mL/h | 15 cm | 590 nm
7: U1 | PAN | DMF | 10 wt% or 10 % | 12 kV | 1 mL/h | 15 cm | 455 nm
8: U2 | PAN | DMF | 10 wt% or 10 % | 18 kV | 1 mL/h | 15 cm | 380 nm`,
      },
    ],
  },
  {
    name: 'rotating collector',
    cells: `
Sample name | Polymer | Collector type | Drum speed (rpm) | Voltage (kV) | Spinning time (h) | Fiber orientation | Fiber diameter, mean (µm) | Fiber diameter, SD (µm)
D-0 | PCL | static plate | 0 | 15 | 1 | random | 1.12 | 0.30
D-1k | PCL | rotating drum | 1000 | 15 | 1.5 | partly aligned | 0.98 | 0.22
D-3k | PCL | rotating drum | 3,000 | 15 | 1.5 | aligned | 0.85 | 0.17`,
    tables: [
      {
        means:
          'sample_id | polymer(s) | collector_type | collector_definition | voltage | spinning_duration | morphology | fiber_diameter | fiber_diameter_variation',
        reads: `
2: D-0 | PCL | static plate | 0 rpm | 15 kV | 1 h | Random | 1.12 µm | 0.3 µm
3: D-1k | PCL | rotating drum | 1000 rpm | 15 kV | 1.5 h | ? or Aligned | 0.98 µm | 0.22 µm
4: D-3k | PCL | rotating drum | 3000 rpm or ? | 15 kV | 1.5 h | Aligned | 0.85 µm | 0.17 µm`,
      },
    ],
  },
  {
    name: 'English CSV with quotes',
    csv: `"Sample ID","Polymer","Solvent","Concentration (wt%)","Voltage (kV)","Flow rate (uL/hr)","Tip to collector distance (mm)","Mean fiber diameter (nm)","Std dev (nm)","N","Notes"
"S-001","Poly(lactic acid)","DCM, DMF","10","15","1,000","150","1,240","210","50","needle clogged, cleaned twice"
"S-002","Polyacrylonitrile","N,N-dimethylformamide","9","18","750","150","345","60","50",""
"S-003","Polystyrene","Tetrahydrofuran","25","15","2,000","120","3,410","800","45","""blobs"" seen"
`,
    tables: [
      {
        means:
          'sample_id | polymer(s) | solvent(s) | solution_concentration | voltage | flow_rate | tip_collector_distance | fiber_diameter | fiber_diameter_variation | fiber_diameter_count | remarks',
        reads: `
2: S-001 | PLA | DCM + DMF | 10 wt% | 15 kV | 1 mL/h | 15 cm | 1240 nm | 210 nm | 50 | needle clogged, cleaned twice
3: S-002 | PAN | DMF | 9 wt% | 18 kV | 0.75 mL/h | 15 cm | 345 nm | 60 nm | 50 |
4: S-003 | PS | THF | 25 wt% | 15 kV | 2 mL/h | 12 cm | 3410 nm | 800 nm | 45 | "blobs" seen`,
      },
    ],
  },
  {
    name: 'coaxial spinning with groups',
    cells: `
Sample | Core | | Shell | | Voltage (kV) | Distance (cm) | Outer fiber diameter (nm) | Core diameter (nm)
 | Polymer | Flow rate (mL/h) | Polymer | Flow rate (mL/h) | | | |
CX1 | PEO | 0.2 | PCL | 1.0 | 15 | 15 | 640 ± 80 | 250
CX2 | PEO | 0.4 | PCL | 1.0 | 15 | 15 | 720 ± 95 | 330`,
    merged: ['A1:A2', 'B1:C1', 'D1:E1', 'F1:F2', 'G1:G2', 'H1:H2', 'I1:I2'],
    tables: [
      {
        means: 'sample_id | ? | ? | ? | ? | voltage | tip_collector_distance | fiber_diameter | -',
        reads: `
3: CX1 | 15 kV | 15 cm | 640 nm ± 80 nm
4: CX2 | 15 kV | 15 cm | 720 nm ± 95 nm`,
      },
    ],
  },
  {
    name: 'diameter statistics in a group',
    cells: `
 | | | | Fiber diameter (nm) | | | | | Mechanical properties | |
Sample | Polymer | Conc. (w/v%) | Electric field (kV/cm) | Min | Max | Median | Mean | SD | σ_{max} (MPa) | E (MPa) | ε_{b} (%)
K1 | PLCL | 8 | 1.0 | 310 | 890 | 540 | 552 | 96 | 7.1 | 12.5 | 340
K2 | PLCL | 10 | 1.0 | 420 | 1130 | 700 | 716 | 120 | 8.8 | 15.9 | 310
K3 | PLCL | 12 | 1.2 | 600 | 1510 | 930 | 958 | 171 | 9.4 | 18.2 | 295`,
    merged: ['E1:I1', 'J1:L1'],
    tables: [
      {
        means:
          'sample_id | polymer(s) | solution_concentration | - | - | - | - | fiber_diameter | fiber_diameter_variation | tensile_strength | modulus | elongation_at_break',
        reads: `
3: K1 | PLCL | 8 g/100 mL | 552 nm | 96 nm | 7.1 MPa | 12.5 MPa | 340 %
4: K2 | PLCL | 10 g/100 mL | 716 nm | 120 nm | 8.8 MPa | 15.9 MPa | 310 %
5: K3 | PLCL | 12 g/100 mL | 958 nm | 171 nm | 9.4 MPa | 18.2 MPa | 295 %`,
      },
    ],
  },
];
