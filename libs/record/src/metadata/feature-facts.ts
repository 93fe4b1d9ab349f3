import { type FeatureKeys, features } from '../filter/filter-keys.ts';
import { describedKeys } from './key-labels.ts';

/** The facts about a feature in metadata formats; `keyFacts` has those of pages. */
export interface FeatureFacts extends FeatureKeys {
  readonly name: string;
  readonly description: string;
  /** The unit in UCUM and QUDT, if they define it. */
  readonly ucumCode?: string;
  readonly qudtUri?: string;
}

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
  const {
    label = '',
    metadataName = label,
    meaning = '',
  } = describedKeys.find(({ key }) => key === keys.feature) ?? {};
  return { ...keys, name: metadataName, description: meaning, ...identifiers[keys.unit] };
});
