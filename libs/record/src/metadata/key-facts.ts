import { type CategoryKey, type Feature, features, isPaperKey } from '../filter/filter-keys.ts';
import { normalizedColumnOf, paperColumnOf } from '../flatten/normalized-columns.ts';
import { type KeyLabel, keyLabels, orderedKeys } from './key-labels.ts';

/** The facts about a feature or a category. */
export interface KeyFacts extends KeyLabel {
  readonly key: Feature | CategoryKey;
  readonly type: 'number' | 'category';
  /** The unit of the filter; null for a category. */
  readonly unit: string | null;
  /** The normalized column of files; null without one. */
  readonly column: string | null;
  /** The meaning, the conversion, and what the value is not. */
  readonly description: string;
}

interface KeyText {
  /** The name in metadata formats; the label by default. */
  readonly name?: string;
  readonly meaning: string;
  readonly details: string;
}

function ofSolvents(property: string): Pick<KeyText, 'meaning' | 'details'> {
  const mean =
    'For a blend, it is the mean of the pure solvents, weighted by volume ratio, and not a property of the blend.';
  return {
    meaning: `The ${property} of the pure solvent. ${mean}`,
    details: 'The value comes from a table of solvents. A blend without published volume ratios is not convertible.',
  };
}

/** The texts about each key, in addition to its label. */
export const keyTexts: Readonly<Record<Feature | CategoryKey, KeyText>> = {
  polymer: {
    meaning: 'Polymers of the spinning solution.',
    details:
      'Names resolve to the entries of the polymer list; other names stay as published. The value states neither grade nor molar mass. A record with several polymers counts under each.',
  },
  solvent: {
    meaning: 'Solvents of the spinning solution.',
    details:
      'Names resolve to the entries of the solvent list; other names stay as published. The value does not state the ratio of a blend. A record with several solvents counts under each.',
  },
  concentration: {
    name: 'Solution concentration',
    meaning: 'Share of polymer in the spinning solution.',
    details:
      'Mass fractions are converted to wt%. Mass per volume (g/L, w/v%) is not convertible, because the density is unknown. The value is not the content of the dry fiber.',
  },
  solventBoilingPoint: {
    ...ofSolvents('boiling point'),
  },
  solventDielectricConstant: {
    ...ofSolvents('relative dielectric constant'),
  },
  solventHansenHydrogen: {
    ...ofSolvents('Hansen parameter for hydrogen bonding'),
  },
  needleType: {
    meaning: 'Type of the needle or spinneret.',
    details: 'The value is the text as published. It does not state the size of the needle.',
  },
  needleDiameter: {
    meaning: 'Inner diameter of the needle; gauges are converted to it.',
    details: 'Lengths are converted to mm. The value is not the outer diameter.',
  },
  collectorType: {
    meaning: 'Type of the collector on which the fibers deposit.',
    details: 'The value is the text as published. It does not state the size or the speed of the collector.',
  },
  voltage: {
    meaning: 'Potential between needle and collector.',
    details: 'Voltages are converted to kV. The value is not the field strength.',
  },
  flowRate: {
    meaning: 'Volume of spinning solution fed per unit of time.',
    details:
      'Volume flows are converted to mL/h. The mass rate of a melt is not convertible. The value is not the production rate of fibers.',
  },
  tipDist: {
    name: 'Tip-to-collector distance',
    meaning: 'Distance from the tip of the needle to the collector.',
    details: 'Lengths are converted to cm. The value is not the length of the path of the jet.',
  },
  fieldStrength: {
    name: 'Electric field strength',
    meaning: 'Voltage divided by the tip-to-collector distance.',
    details: 'The value is in kV/cm. It is a mean over the gap, not the field at the tip of the needle.',
  },
  temp: {
    name: 'Ambient temperature',
    meaning: 'Temperature of the air while spinning.',
    details: 'Temperatures are converted to °C. The value is not the temperature of the solution.',
  },
  humidity: {
    name: 'Relative humidity',
    meaning: 'Relative humidity of the air while spinning.',
    details: 'Fractions are converted to %. The value is not the absolute humidity.',
  },
  isFormationStable: {
    meaning: 'Whether the run formed fibers in a stable way.',
    details:
      'The value `no` means that the paper reports the run as not stable; it does not mean that no fiber formed. A paper that reports only successful runs has no `no`.',
  },
  instability: {
    meaning: 'Instabilities of the jet that the paper reports.',
    details:
      'Labels resolve to the entries of the list of instabilities. A record without a label is not a record without an instability.',
  },
  fiberDiameter: {
    meaning: 'Mean diameter of the measured fibers.',
    details: 'Lengths are converted to nm. The value is not the median, and it does not state the number of fibers.',
  },
  variation: {
    name: 'Fiber diameter variation',
    meaning: 'Spread of the fiber diameters as a share of their mean.',
    details:
      'A standard deviation is converted to % of the fiber diameter. Without a diameter, it is not convertible. The value is not the error of the mean.',
  },
  weight: {
    meaning: 'Mass of the fiber mat per unit area.',
    details: 'Area densities are converted to g/m². A mass without an area is not convertible.',
  },
  morphology: {
    meaning: 'Shapes of the fibers that the paper reports.',
    details:
      'Labels resolve to the entries of the list of morphologies. A record without a label is not a record of smooth fibers.',
  },
  tensileStrength: {
    meaning: 'Stress at which the fiber mat breaks.',
    details: 'Pressures are converted to MPa. The value is not the strength of a single fiber.',
  },
  modulus: {
    meaning: 'Stiffness of the fiber mat.',
    details: 'Pressures are converted to MPa. The value is not the modulus of a single fiber or of the bulk polymer.',
  },
  elongationAtBreak: {
    meaning: 'Strain of the fiber mat when it breaks.',
    details: 'Fractions are converted to %. A length is not convertible, because the initial length is unknown.',
  },
  fractureBehaviour: {
    meaning: 'Description of how the fiber mat breaks.',
    details: 'The value is the text as published, not a class of a standard.',
  },
  surfaceArea: {
    meaning: 'Surface area of the fibers per unit mass.',
    details: 'Areas per mass are converted to m²/g. The value is not the area of the mat.',
  },
  porosity: {
    meaning: 'Share of the volume of the fiber mat that is void.',
    details: 'Fractions are converted to %. The value is not the size of the pores.',
  },
  permeability: {
    meaning: 'Intrinsic permeability of the fiber mat.',
    details:
      'Areas and darcys are converted to cm². Fluxes of air, liquid or vapor are not convertible and are not this value.',
  },
  wettability: {
    name: 'Wettability',
    meaning: 'Contact angle of water on the fiber mat.',
    details: 'Angles are converted to degrees. The value is not the surface energy.',
  },
  electricalConductivity: {
    meaning: 'Electrical conductivity of the fiber mat.',
    details: 'Conductivities are converted to S/m. The value is not the conductivity of the spinning solution.',
  },
  thermalConductivity: {
    meaning: 'Thermal conductivity of the fiber mat.',
    details: 'Conductivities are converted to W/mK. The value is not the conductivity of a single fiber.',
  },
  doi: {
    meaning: 'DOI of the paper that reports the record.',
    details:
      'The DOI is in lower case without a prefix. If the record has another text instead, such as a URL, the value is that text. It does not identify the dataset.',
  },
  year: {
    meaning: 'Year in which the paper was published.',
    details: 'The value comes from the list of papers. It is not the year of the experiment or of the record.',
  },
  journal: {
    meaning: 'Journal that published the paper.',
    details: 'The value comes from the list of papers. It does not state a volume or a publisher.',
  },
};

/** The facts about each key, in the order of `/metadata/features`. */
export const keyFacts: readonly KeyFacts[] = orderedKeys.map((key): KeyFacts => {
  const { meaning, details } = keyTexts[key];
  const texts = { ...keyLabels[key], description: `${meaning} ${details}` };
  const feature = features.find((one) => one.feature === key);
  if (feature) {
    const { feature: own, unit } = feature;
    return { key, ...texts, type: 'number', unit, column: normalizedColumnOf[own] };
  }
  return { key, ...texts, type: 'category', unit: null, column: isPaperKey(key) ? paperColumnOf[key] : null };
});
