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
Polymer(s) → polymer(s)
POLYMER → polymer(s)
Polymer type → polymer(s)
Polymer name → polymer(s)
Material → polymer(s)
Polymer 1 → polymer(s)
Polymer 2 → polymer(s)
polymer_a → polymer(s)
Polymer ratio → polymer_components
Polymer ratio (w/w) → polymer_components [w/w]
Blend ratio (wt%) → polymer_components [wt%]
polymer_components → polymer_components
is_polymer_blend → is_polymer_blend
solvent(s) → solvent(s)
Solvent → solvent(s)
Solvents → solvent(s)
Solvent system → solvent(s)
Solvent A → solvent(s)
Solvent B → solvent(s)
Solvent ratio → solvent_components
Solvent ratio (v/v) → solvent_components [v/v]
Solvent ratio v/v → solvent_components [v/v]
Solvent ratio, vol% → solvent_components [vol%]
Ratio of solvents → solvent_components
Solvent ratio (w/w) → ask: solvent_components
Conc. → solution_concentration
conc → solution_concentration
Conc. (wt%) → solution_concentration [wt%]
Conc. wt% → solution_concentration [wt%]
Conc. [wt %] → solution_concentration [wt%]
Conc (wt.%) → solution_concentration [wt%]
Concentration → solution_concentration
Concentration (%) → solution_concentration [%]
Concentration, % → solution_concentration [%]
Concentration % → solution_concentration [%]
Concentration (mg/mL) → solution_concentration [mg/mL]
Concentration mg/ml → solution_concentration [mg/mL]
Concentration (% w/v) → solution_concentration [g/100 mL]
Concentration (w/v%) → solution_concentration [g/100 mL]
Concentration in wt% → solution_concentration [wt%]
Polymer concentration (g/L) → solution_concentration [g/L]
Polymer conc. (wt%) → solution_concentration [wt%]
Polymer content → solution_concentration
Solution concentration / wt% → solution_concentration [wt%]
solution_concentration → solution_concentration
solution concentration → solution_concentration
solution_concentration_unit → solution_concentration_unit
wt% → solution_concentration [wt%]
c (wt%) → solution_concentration [wt%]
c [g/L] → solution_concentration [g/L]
c → ask: solution_concentration
Concentration (kV) → ask: solution_concentration
Viscosity → solution_viscosity
Viscosity (cP) → solution_viscosity [cP]
Viscosity, Pa·s → solution_viscosity [Pa·s]
Viscosity (mPa.s) → solution_viscosity [mPa·s]
Dynamic viscosity [Pa s] → solution_viscosity [Pa·s]
η (Pa·s) → solution_viscosity [Pa·s]
η → ask: solution_viscosity
Conductivity → solution_conductivity
Conductivity (µS/cm) → solution_conductivity [µS/cm]
Conductivity (μS/cm) → solution_conductivity [µS/cm]
Conductivity mS/cm → solution_conductivity [mS/cm]
κ (mS/cm) → solution_conductivity [mS/cm]
σ (S/m) → solution_conductivity [S/m]
σ (nm) → fiber_diameter_variation [nm]
σ → ask: solution_conductivity, fiber_diameter_variation
Surface tension (mN/m) → solution_surface_tension [mN/m]
Surface tension → solution_surface_tension
γ (mN/m) → solution_surface_tension [mN/m]
γ → ask: solution_surface_tension
pH → solution_ph
PH → solution_ph
ph → solution_ph
Needle → needle_definition
Needle size → needle_definition
Needle gauge → needle_definition
Needle (G) → needle_definition [G]
Needle gauge (G) → needle_definition [G]
Needle size [mm] → needle_definition [mm]
Needle diameter (mm) → needle_definition [mm]
Inner diameter (mm) → needle_definition [mm]
Needle ID (mm) → needle_definition [mm]
Needle ID → needle_definition
Gauge → needle_definition
Nozzle → needle_definition
Nozzle size (mm) → needle_definition [mm]
needle_definition → needle_definition
Needle type → needle_type
Nozzle type → needle_type
needle_type → needle_type
Collector → collector_type
Collector type → collector_type
Target → collector_type
Collector speed (rpm) → collector_definition [rpm]
Drum speed, rpm → collector_definition [rpm]
Rotation speed (m/s) → collector_definition [m/s]
Rotation speed → collector_definition
RPM → collector_definition [rpm]
rpm → collector_definition [rpm]
Voltage → voltage
voltage → voltage
Voltage (kV) → voltage [kV]
Voltage [kV] → voltage [kV]
Voltage, kV → voltage [kV]
Voltage kV → voltage [kV]
Voltage/kV → voltage [kV]
Voltage / kV → voltage [kV]
Voltage in kV → voltage [kV]
Voltage (KV) → voltage [kV]
Voltage (V) → voltage [V]
Voltage (kV)* → voltage [kV]
Voltage¹ (kV) → voltage [kV]
Applied voltage (kV) → voltage [kV]
Applied Voltage → voltage
High voltage (kV) → voltage [kV]
HV → voltage
HV [kV] → voltage [kV]
Voltage U (kV) → voltage [kV]
U (kV) → voltage [kV]
U/kV → voltage [kV]
V (kV) → voltage [kV]
U → ask: voltage
V → ask: voltage
u (kV) → ask:
Voltege (kV) → ask: voltage
Voltage (cm) → ask: voltage
voltage_unit → voltage_unit
Flow rate → flow_rate
Flow rate (mL/h) → flow_rate [mL/h]
Flow rate mL/h → flow_rate [mL/h]
Flow rate/mL/h → flow_rate [mL/h]
Flow rate / mL/h → flow_rate [mL/h]
Flow rate (ml/hr) → flow_rate [mL/h]
Flow rate [mL h-1] → flow_rate [mL/h]
Flow-rate (µL/min) → flow_rate [µL/min]
Flow_rate → flow_rate
Flowrate (mL/h) → flow_rate [mL/h]
Feed rate (µL/min) → flow_rate [µL/min]
Feed rate (uL/min) → flow_rate [µL/min]
Feed (mL/h) → flow_rate [mL/h]
Pump rate, mL/h → flow_rate [mL/h]
Flow → flow_rate
Q (mL/h) → flow_rate [mL/h]
Q → ask: flow_rate
Distance → tip_collector_distance
Distance (cm) → tip_collector_distance [cm]
Distance (mm) → tip_collector_distance [mm]
Distance / cm → tip_collector_distance [cm]
Distance (kV) → ask: tip_collector_distance
Dist. (cm) → tip_collector_distance [cm]
Tip to collector distance (cm) → tip_collector_distance [cm]
Tip-to-collector distance (cm) → tip_collector_distance [cm]
Tip–collector distance (cm) → tip_collector_distance [cm]
Tip collector distance → tip_collector_distance
Needle to collector distance → tip_collector_distance
Needle-to-collector distance [cm] → tip_collector_distance [cm]
Working distance (cm) → tip_collector_distance [cm]
Collector distance → tip_collector_distance
TCD (cm) → tip_collector_distance [cm]
NCD → tip_collector_distance
Gap (cm) → tip_collector_distance [cm]
Gap (kV) → ask: tip_collector_distance
d (cm) → tip_collector_distance [cm]
L (cm) → tip_collector_distance [cm]
d (mm) → ask: needle_definition, fiber_diameter
d (nm) → fiber_diameter [nm]
D (nm) → fiber_diameter [nm]
d [µm] → fiber_diameter [µm]
Time → spinning_duration
Time (min) → spinning_duration [min]
Time (s) → spinning_duration [s]
Spinning time (h) → spinning_duration [h]
Duration → spinning_duration
Deposition time, min → spinning_duration [min]
t (min) → spinning_duration [min]
t → ask: spinning_duration
T (°C) → temperature [°C]
T → ask: temperature
T (C) → temperature [°C]
T/°C → temperature [°C]
Temp → temperature
Temp. (°C) → temperature [°C]
Temp (C) → temperature [°C]
Temperature → temperature
Temperature [K] → temperature [K]
Temperature (° C) → temperature [°C]
Ambient temperature (°C) → temperature [°C]
RH → humidity
RH % → humidity [%]
RH (%) → humidity [%]
RH% → humidity [%]
R.H. (%) → humidity [%]
Humidity → humidity
Humidity, % → humidity [%]
Humidity% → humidity [%]
Relative humidity (%) → humidity [%]
Relative Humidity (% RH) → humidity [% RH]
Stable → was_formation_stable
Stable? → was_formation_stable
Stable fibers → was_formation_stable
Stable fibres → was_formation_stable
Fiber formation → was_formation_stable
Fibre formation → was_formation_stable
Stability → was_formation_stable
Diameter → fiber_diameter
Diameter (nm) → fiber_diameter [nm]
Diameter (µm) → fiber_diameter [µm]
Diameter (um) → fiber_diameter [µm]
Diameter (mm) → ask: needle_definition, fiber_diameter
Diameter (mean) → fiber_diameter
Diameter (mean) (nm) → fiber_diameter [nm]
Diameter (n = 50) [nm] → fiber_diameter [nm]
Fiber diameter (nm) → fiber_diameter [nm]
Fibre diameter (nm) → fiber_diameter [nm]
Fibre Diameter, nm → fiber_diameter [nm]
Mean diameter (nm) → fiber_diameter [nm]
Mean fiber diameter (nm) → fiber_diameter [nm]
Average diameter [nm] → fiber_diameter [nm]
Avg. diameter (nm) → fiber_diameter [nm]
Average fibre diameter / nm → fiber_diameter [nm]
Fiber diameter ± SD (nm) → fiber_diameter [nm]
fiber_diameter → fiber_diameter
∅ (nm) → fiber_diameter [nm]
Ø (nm) → fiber_diameter [nm]
Fiber diamter (nm) → ask: fiber_diameter
Diametr → ask: fiber_diameter
SD → fiber_diameter_variation
SD (nm) → fiber_diameter_variation [nm]
S.D. (nm) → fiber_diameter_variation [nm]
Std → fiber_diameter_variation
Std. dev. (nm) → fiber_diameter_variation [nm]
Standard deviation (nm) → fiber_diameter_variation [nm]
StDev → fiber_diameter_variation
Diameter SD → fiber_diameter_variation
± (nm) → fiber_diameter_variation [nm]
SD (%) → fiber_diameter_variation [%]
Morphology → morphology
Instability → process_instability
Fracture → fracture_behaviour
Fracture behaviour → fracture_behaviour
Fracture behavior → fracture_behaviour
Tensile strength (MPa) → tensile_strength [MPa]
Strength (MPa) → tensile_strength [MPa]
UTS → tensile_strength
Modulus (MPa) → modulus [MPa]
Young's modulus (MPa) → modulus [MPa]
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
experiment_id → experiment_id
voltage_kv → left out
No → left out
No. → left out
Nr. → left out
# → left out
ID → left out
Run → left out
Sample → left out
Sample No. → left out
Sample ID → left out
Batch → left out
Row → left out
Date → left out
Operator → left out
Comment → left out
Comments → left out
Notes → left out
Remark → left out
File → left out
Image → left out
Molar mass → ask:
Foo → ask:
Kommentar → ask: 
`;

const lines = TABLE.split('\n').filter((line) => line.includes(' → '));

test('the table has at least 200 headings', () => {
  expect(lines.length).toBeGreaterThanOrEqual(200);
});

test.each(lines)('%s', (line) => {
  const [heading = '', expected = ''] = line.split(' → ');
  const { state, reads, unit, candidates } = readHeading(heading, undefined, references, true);
  const read = { read: `${reads}${unit === undefined ? '' : ` [${unit.unit}]`}`, ask: `ask: ${candidates.join(', ')}` };
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
  const started = performance.now();
  for (const text of texts) {
    const long = text.repeat(200).slice(0, 200);
    for (let repeat = 0; repeat < 20; repeat++) readHeading(long, undefined, references, true);
  }
  // A pattern that backtracks takes hours; the bound tolerates a slow machine.
  expect(performance.now() - started).toBeLessThan(5_000);
});
