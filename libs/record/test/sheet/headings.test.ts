import { expect, test } from '@jest/globals';
import { readHeading } from '../../src/sheet/read-heading.ts';
import { references } from '../seed-lists.ts';

/**
 * Headings as laboratories write them, each with its column and unit: `column`, `column [unit]`, `ask: candidates`, or
 * `left out`.
 */
const TABLE = `
polymer(s) → polymer(s)
Polymer → polymer(s)
Polymers → polymer(s)
POLYMER → polymer(s)
Polymer type → polymer(s)
Polymer name → polymer(s)
Material → polymer(s)
Polymer 1 → polymer(s)
Polymer 2 → polymer(s)
polymer_a → polymer(s)
Polymer ratio (w/w) → polymer_components [w/w]
Blend ratio (wt%) → polymer_components [wt%]
Solvent → solvent(s)
Solvents → solvent(s)
Solvent system → solvent(s)
Solvent B → solvent(s)
Solvent ratio v/v → solvent_components [v/v]
Ratio of solvents → solvent_components
Conc. wt% → solution_concentration [wt%]
Concentration in wt% → solution_concentration [wt%]
Polymer concentration (g/L) → solution_concentration [g/L]
Polymer conc. (wt%) → solution_concentration [wt%]
Polymer content → solution_concentration
wt% → solution_concentration [wt%]
c [g/L] → solution_concentration [g/L]
Viscosity (cP) → solution_viscosity [cP]
Dynamic viscosity [Pa s] → solution_viscosity [Pa·s]
η (Pa·s) → solution_viscosity [Pa·s]
Conductivity (µS/cm) → solution_conductivity [µS/cm]
κ (mS/cm) → solution_conductivity [mS/cm]
σ (S/m) → solution_conductivity [S/m]
σ (nm) → fiber_diameter_variation [nm]
Surface tension (mN/m) → solution_surface_tension [mN/m]
γ (mN/m) → solution_surface_tension [mN/m]
pH → solution_ph
Needle (G) → needle_definition [G]
Needle gauge (G) → needle_definition [G]
Needle diameter (mm) → needle_definition [mm]
Inner diameter (mm) → needle_definition [mm]
Needle ID (mm) → needle_definition [mm]
Gauge → needle_definition
Nozzle → needle_definition
Nozzle size (mm) → needle_definition [mm]
Nozzle type → needle_type
Target → collector_type
Collector speed (rpm) → collector_definition [rpm]
Drum speed, rpm → collector_definition [rpm]
Rotation speed (m/s) → collector_definition [m/s]
RPM → collector_definition [rpm]
Voltage in kV → voltage [kV]
Voltage (kV)* → voltage [kV]
Voltage¹ (kV) → voltage [kV] without: Voltage (kV)
Voltageᵃ,ᵇ (kV)ᵃ → voltage [kV] without: Voltage (kV)
Voltage, kVᵃ → voltage [kV] without: Voltage, kV
Voltage (kVᵃ) → voltage [kV] without: Voltage (kV)
Voltage^[1] (kV) → voltage [kV] without: Voltage (kV)
Voltage² (kV) → voltage [kV] without: Voltage (kV)
Diameter nm² → ask: fiber_diameter_variation
Flow rate (mL·h⁻¹) → flow_rate [mL/h]
V̶o̶l̶t̶a̶g̶e̶ (kV) → ask: 
Applied voltage (kV) → voltage [kV]
High voltage (kV) → voltage [kV]
HV [kV] → voltage [kV]
Voltage U (kV) → voltage [kV]
V (kV) → voltage [kV]
U → ask: voltage
voltage_unit → voltage_unit
Flow rate/mL/h → flow_rate [mL/h]
Flow rate [mL h-1] → flow_rate [mL/h]
Flowrate (mL/h) → flow_rate [mL/h]
Feed rate (uL/min) → flow_rate [µL/min]
Feed (mL/h) → flow_rate [mL/h]
Pump rate, mL/h → flow_rate [mL/h]
Flow → flow_rate
Q (mL/h) → flow_rate [mL/h]
Distance / cm → tip_collector_distance [cm]
Dist. (cm) → tip_collector_distance [cm]
Tip-to-collector distance (cm) → tip_collector_distance [cm]
Tip–collector distance (cm) → tip_collector_distance [cm]
Needle-to-collector distance [cm] → tip_collector_distance [cm]
Working distance (cm) → tip_collector_distance [cm]
Collector distance → tip_collector_distance
TCD (cm) → tip_collector_distance [cm]
NCD → tip_collector_distance
Gap (kV) → ask: tip_collector_distance
d (cm) → tip_collector_distance [cm]
L (cm) → tip_collector_distance [cm]
d (mm) → ask: needle_definition, fiber_diameter
D (nm) → fiber_diameter [nm]
d [µm] → fiber_diameter [µm]
Time (min) → spinning_duration [min]
Time (s) → spinning_duration [s]
Spinning time (h) → spinning_duration [h]
Duration → spinning_duration
Deposition time, min → spinning_duration [min]
t (min) → spinning_duration [min]
T (°C) → temperature [°C]
T/°C → temperature [°C]
Temp. (°C) → temperature [°C]
Temperature [K] → temperature [K]
Temperature (° C) → temperature [°C]
Ambient temperature (°C) → temperature [°C]
RH% → humidity [%]
R.H. (%) → humidity [%]
Relative Humidity (% RH) → humidity [% RH]
Stable? → was_formation_stable
Stable fibres → was_formation_stable
Fibre formation → was_formation_stable
Stability → was_formation_stable
Diameter (mm) → ask: needle_definition, fiber_diameter
Diameter (n = 50) [nm] → fiber_diameter [nm]
Mean diameter (nm) → fiber_diameter [nm]
Mean fiber diameter (nm) → fiber_diameter [nm]
Average diameter [nm] → fiber_diameter [nm]
Avg. diameter (nm) → fiber_diameter [nm]
Average fibre diameter / nm → fiber_diameter [nm]
Fiber diameter ± SD (nm) → fiber_diameter [nm]
∅ (nm) → fiber_diameter [nm]
Ø (nm) → fiber_diameter [nm]
Diametr → ask: fiber_diameter
SD (nm) → fiber_diameter_variation [nm]
S.D. (nm) → fiber_diameter_variation [nm]
Std → ask: fiber_diameter_variation
Std (nm) → fiber_diameter_variation [nm]
Std. dev. (nm) → fiber_diameter_variation [nm]
Standard deviation (nm) → fiber_diameter_variation [nm]
StDev → fiber_diameter_variation
Diameter SD → fiber_diameter_variation
± (nm) → fiber_diameter_variation [nm]
SD (%) → fiber_diameter_variation [%]
Fracture → fracture_behaviour
Fracture behaviour → fracture_behaviour
Tensile strength (MPa) → tensile_strength [MPa]
Strength (MPa) → tensile_strength [MPa]
UTS → tensile_strength
Modulus (MPa) → modulus [MPa]
Young’s modulus (GPa) → modulus [GPa]
E-modulus → modulus
Elongation (%) → elongation_at_break [%]
Elongation at break, % → elongation_at_break [%]
Strain at break → elongation_at_break
Porosity (%) → porosity [%]
Contact angle (°) → wettability [°]
Water contact angle → wettability
WCA (°) → wettability [°]
θ (°) → wettability [°]
Surface area (m²/g) → surface_area [m²/g]
BET (m2/g) → surface_area [m²/g]
DOI → doi
Title → publication_title
Paper → publication_title
Product weight (g/m²) → product_weight [g/m²]
Quality grade → quality_grade
voltage_kv → left out
Nr. → left out
# → left out
Run → left out
Sample → sample_id
Sample No. → sample_id
Sample ID → sample_id
Sample name → sample_id
Batch → left out
Row → left out
Date → left out
Operator → left out
Comment → left out
Comments → left out
Notes → left out
Remark → remarks
Remarks → remarks
n fibers → fiber_diameter_count
File → left out
Image → left out
Molar mass → molecular_weight
Kommentar → ask: 
`;

const lines = TABLE.split('\n').filter((line) => line.includes(' → '));

test.each(lines)('%s', (line) => {
  const [heading = '', expected = ''] = line.split(' → ');
  const { state, reads, unit, candidates, unmarked } = readHeading(heading, undefined, references, true);
  const mark = unmarked === undefined ? '' : ` without: ${unmarked}`;
  const read = {
    read: `${reads}${unit === undefined ? '' : ` [${unit.unit}]`}${mark}`,
    ask: `ask: ${candidates.join(', ')}`,
  };
  expect(state === 'left-out' ? 'left out' : read[state].trim()).toBe(expected.trim());
});

test('a unit below a heading gives a symbol its meaning', () => {
  const unit = references.lists.units.find((one) => one.unit === 'cm');
  expect(readHeading('d', unit, references, true)).toMatchObject({ state: 'read', reads: 'tip_collector_distance' });
  expect(readHeading('Diameter (nm)', unit, references, true)).toMatchObject({
    reads: 'fiber_diameter',
    unit: { unit: 'nm' },
  });
});

test('the worst case of each pattern takes no longer than a usual heading of the same length', () => {
  const texts = ['(', '[', ')', '(a', ' /', '/', ',', ' in ', '- ', '.', '²', '*', 'a ', '%', 'v/v ', '([', 'i', 'ﬃ'];
  const started = process.cpuUsage();
  for (const text of texts) {
    const long = text.repeat(200).slice(0, 200);
    for (let repeat = 0; repeat < 20; repeat++) readHeading(long, undefined, references, true);
  }
  // A pattern that backtracks takes hours; the bound tolerates a slow machine.
  expect(process.cpuUsage(started).user / 1_000).toBeLessThan(5_000);
});
