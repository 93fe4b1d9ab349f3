import { type Feature, type FeatureKeys, features } from '../filter/filter-keys.ts';

export interface FeatureFacts extends FeatureKeys {
  readonly name: string;
  readonly description: string;
  /** The unit in UCUM and QUDT, if they define it. */
  readonly ucumCode?: string;
  readonly qudtUri?: string;
}

function ofSolvents(property: string): string {
  const mean = 'the mean of the pure solvents, weighted by volume ratio, which is not a property of the blend.';
  return `The ${property} of the pure solvent; for a blend, ${mean}`;
}

const texts: Readonly<Record<Feature, readonly [name: string, description: string]>> = {
  concentration: ['Solution concentration', 'Share of polymer in the spinning solution.'],
  needleDiameter: ['Needle inner diameter', 'Inner diameter of the needle; gauges are converted to it.'],
  voltage: ['Voltage', 'Potential between needle and collector.'],
  flowRate: ['Flow rate', 'Volume of spinning solution fed per unit of time.'],
  tipDist: ['Tip-to-collector distance', 'Distance from the tip of the needle to the collector.'],
  temp: ['Ambient temperature', 'Temperature of the air while spinning.'],
  humidity: ['Relative humidity', 'Relative humidity of the air while spinning.'],
  fiberDiameter: ['Fiber diameter', 'Mean diameter of the measured fibers.'],
  variation: ['Fiber diameter variation', 'Spread of the fiber diameters as a share of their mean.'],
  weight: ['Product weight', 'Mass of the fiber mat per unit area.'],
  tensileStrength: ['Tensile strength', 'Stress at which the fiber mat breaks.'],
  modulus: ["Young's modulus", 'Stiffness of the fiber mat.'],
  elongationAtBreak: ['Elongation at break', 'Strain of the fiber mat when it breaks.'],
  surfaceArea: ['Specific surface area', 'Surface area of the fibers per unit mass.'],
  porosity: ['Porosity', 'Share of the volume of the fiber mat that is void.'],
  permeability: ['Permeability', 'Intrinsic permeability of the fiber mat.'],
  wettability: ['Wettability', 'Contact angle of water on the fiber mat.'],
  electricalConductivity: ['Electrical conductivity', 'Electrical conductivity of the fiber mat.'],
  thermalConductivity: ['Thermal conductivity', 'Thermal conductivity of the fiber mat.'],
  fieldStrength: ['Electric field strength', 'Voltage divided by the tip-to-collector distance.'],
  solventBoilingPoint: ['Solvent boiling point', ofSolvents('boiling point')],
  solventDielectricConstant: ['Solvent dielectric constant', ofSolvents('relative dielectric constant')],
  solventHansenHydrogen: ['Solvent Hansen hydrogen bonding', ofSolvents('Hansen parameter for hydrogen bonding')],
};

const QUDT = 'http://qudt.org/vocab/unit/';

/** Identifiers of the feature units, equal to the seeds of the unit list; see docs/identifiers.md. */
const identifiers: Readonly<Record<string, { ucumCode?: string; qudtUri?: string }>> = {
  mm: { ucumCode: 'mm', qudtUri: `${QUDT}MilliM` },
  kV: { ucumCode: 'kV', qudtUri: `${QUDT}KiloV` },
  'mL/h': { ucumCode: 'mL/h', qudtUri: `${QUDT}MilliL-PER-HR` },
  cm: { ucumCode: 'cm', qudtUri: `${QUDT}CentiM` },
  '°C': { ucumCode: 'Cel', qudtUri: `${QUDT}DEG_C` },
  '%': { ucumCode: '%', qudtUri: `${QUDT}PERCENT` },
  nm: { ucumCode: 'nm', qudtUri: `${QUDT}NanoM` },
  'g/m²': { ucumCode: 'g/m2', qudtUri: `${QUDT}GM-PER-M2` },
  MPa: { ucumCode: 'MPa', qudtUri: `${QUDT}MegaPA` },
  'm²/g': { ucumCode: 'm2/g', qudtUri: `${QUDT}M2-PER-GM` },
  'cm²': { ucumCode: 'cm2', qudtUri: `${QUDT}CentiM2` },
  '°': { ucumCode: 'deg', qudtUri: `${QUDT}DEG` },
  'S/m': { ucumCode: 'S/m', qudtUri: `${QUDT}S-PER-M` },
  'W/mK': { ucumCode: 'W/(m.K)', qudtUri: `${QUDT}W-PER-M-K` },
  'kV/cm': { ucumCode: 'kV/cm' },
};

export const featureFacts: readonly FeatureFacts[] = features.map((keys) => {
  const [name, description] = texts[keys.feature];
  return { ...keys, name, description, ...identifiers[keys.unit] };
});
