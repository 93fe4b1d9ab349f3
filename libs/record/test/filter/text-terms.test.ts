import { describe, expect, test } from '@jest/globals';
import type { TextKey } from '../../src/filter/filter-keys.ts';
import { parseFilter } from '../../src/filter/parse-filter.ts';
import { indexReferences } from '../../src/reference/reference.ts';
import type { References, SubstanceEntry } from '../../src/reference/reference.ts';
import { recordTerms, termMatcher } from '../../src/filter/text-terms.ts';
import { references, seedLists } from '../seed-lists.ts';

function finds(key: TextKey, text: string, term: string, lists: References = references): boolean {
  const result = parseFilter(JSON.stringify({ [key]: text }));
  const condition = 'filter' in result ? result.filter[0] : undefined;
  if (condition?.kind !== 'text') throw new Error('no condition');
  return termMatcher(condition, lists)(term);
}

test('the terms of a record are grouped by text key', () => {
  expect(
    recordTerms({
      researchMetadata: { doi: 'DOI10.1002/APP.32569.' },
      polymerProperty: { polymerComponents: [{ polymerName: 'PCL' }, {}, { polymerName: 'PVA' }] },
      solventProperty: { solventComponents: [{ solventName: 'DMF' }] },
      needleProperty: { needleType: 'Single Needle' },
      collectorProperty: { collectorType: 'Flat' },
      processParameter: { instability: [{ category: 'Jet', label: 'Whipping' }] },
      fiberProperty: {
        fiberMorphology: [
          { category: 'Defects', label: 'Bead' },
          { category: 'Texture', label: 'Smooth' },
        ],
      },
      mechanicalProperty: { fractureBehaviour: 'Brittle' },
    }),
  ).toEqual({
    doi: ['10.1002/app.32569'],
    polymer: ['PCL', 'PVA'],
    solvent: ['DMF'],
    needleType: ['Single Needle'],
    collectorType: ['Flat'],
    instability: ['Whipping'],
    morphology: ['Bead', 'Smooth'],
    fractureBehaviour: ['Brittle'],
  });
  for (const terms of Object.values(recordTerms({}))) expect(terms).toEqual([]);
});

describe('polymers and solvents', () => {
  test.each<[key: 'polymer' | 'solvent', text: string, term: string, found: boolean]>([
    // A substring of the name or the abbreviation.
    ['polymer', 'ps', 'PS', true],
    ['polymer', 'PVDF', 'PVDF_HFP', true],
    ['polymer', 'PVDF-HFP', 'PVDF_HFP', true],
    ['polymer', 'PVDF–HFP', 'PVDF_HFP', true],
    ['polymer', 'γ-p', 'Y_PGA', true],
    ['solvent', 'EtOH', 'ETHANOL', true],
    ['solvent', 'ethanol', 'METHANOL', true],
    // Not a substring of the full name or an alias.
    ['polymer', 'PS', 'PCL', false],
    ['polymer', 'eps', 'PCL', false],
    ['polymer', 'capr', 'PCL', true],
    ['polymer', 'cap', 'PCL', false],
    // With at least four characters, the beginning of a word of a full name or an alias.
    ['polymer', 'caprolactone', 'PCL', true],
    ['polymer', 'epsilon', 'PCL', true],
    ['polymer', 'epsilon-caprolactone', 'PCL', true],
    ['polymer', 'ε-caprolactone', 'PCL', true],
    ['polymer', 'Poly(ε', 'PCL', true],
    ['polymer', '(ε-caprolactone)', 'PCL', true],
    ['polymer', 'lactone', 'PCL', false],
    ['polymer', 'aprolactone', 'PCL', false],
    ['polymer', 'vinylidene  fluoride', 'PVDF', true],
    ['polymer', 'Nylon 6', 'PA6', true],
    ['polymer', 'lactic', 'PDLLA', true],
    ['solvent', 'formamide', 'DMF', true],
    ['solvent', 'methylformamide', 'DMF', false],
    ['solvent', 'acetic acid', 'ACETIC_ACID', true],
    // The `sameAs` entry.
    ['solvent', 'acetone', 'AC', true],
    ['solvent', 'propan', 'AC', true],
    ['solvent', 'legacy', 'AC', true],
    ['solvent', 'HFP', 'HFIP', false],
    ['polymer', 'new', 'MY_NEW_ONE', true],
    ['polymer', 'y_new', 'MY_NEW_ONE', true],
    ['polymer', 'other', 'MY_NEW_ONE', false],
    // Special characters are plain text.
    ['polymer', '%', 'PVA', false],
    ['polymer', 'P.A', 'PVA', false],
    ['polymer', '_', 'PVA', false],
    ['polymer', '_', 'Y_PGA', true],
  ])('%s %s finds %s: %p', (key, text, term, found) => {
    expect(finds(key, text, term)).toBe(found);
  });

  test('the minimum counts characters, not code units', () => {
    const entry: SubstanceEntry = { id: 1, name: 'XX', fullName: 'Poly(😀😀ab)', aliases: [], kind: 'polymer' };
    const lists = indexReferences({ ...seedLists, polymers: [entry] });
    expect(finds('polymer', '😀😀a', 'XX', lists)).toBe(false);
    expect(finds('polymer', '😀😀ab', 'XX', lists)).toBe(true);
  });

  test('a later word may match, and a name can differ between the lists', () => {
    const xx = { id: 1, name: 'XX', aliases: [], kind: 'unknown' };
    const lists = indexReferences({
      ...seedLists,
      polymers: [{ ...xx, fullName: 'Polylactic and lactic' }],
      solvents: [{ ...xx, fullName: 'Dimethyl' }],
    });
    expect(finds('polymer', 'lactic', 'XX', lists)).toBe(true);
    expect(finds('solvent', 'lactic', 'XX', lists)).toBe(false);
    expect(finds('solvent', 'dimethyl', 'XX', lists)).toBe(true);
  });

  test('a stored name resolves with the lists of the revision, and also matches as stored', () => {
    const renamed = seedLists.polymers.map((entry) =>
      entry.name === 'PCL'
        ? { ...entry, name: 'CAPRO', aliases: [...entry.aliases, 'PCL'], abbreviation: undefined }
        : entry,
    );
    const later = indexReferences({ ...seedLists, polymers: renamed });
    expect(finds('polymer', 'capro', 'PCL', references)).toBe(true);
    expect(finds('polymer', 'cap', 'PCL', references)).toBe(false);
    expect(finds('polymer', 'cap', 'PCL', later)).toBe(true);
    expect(finds('polymer', 'pcl', 'PCL', later)).toBe(true);
    const without = indexReferences({
      ...seedLists,
      polymers: seedLists.polymers.filter(({ name }) => name !== 'PCL'),
    });
    expect(finds('polymer', 'caprolactone', 'PCL', without)).toBe(false);
    expect(finds('polymer', 'PCL', 'PCL', without)).toBe(true);
  });
});

describe('labels', () => {
  test.each<[key: 'morphology' | 'instability', text: string, term: string, found: boolean]>([
    ['morphology', 'bead', 'Bead', true],
    ['morphology', 'EAD', 'Bead', true],
    ['morphology', 'bead', 'Beads-on-string', true],
    ['morphology', 'beads', 'Bead', true],
    ['morphology', 'core-shell', 'Core-sheath', true],
    ['morphology', 'shell', 'Core-sheath', true],
    ['morphology', 'hell', 'Core-sheath', false],
    ['morphology', 'smooth', 'Bead', false],
    ['morphology', 'net', 'Networked', true],
    ['instability', 'bending', 'Whipping', true],
    ['instability', 'whip', 'Whipping', true],
    ['instability', 'kink', 'Whipping', true],
    ['instability', 'rayleigh', 'Whipping', false],
    ['instability', 'wholly new', 'A wholly new one', true],
  ])('%s %s finds %s: %p', (key, text, term, found) => {
    expect(finds(key, text, term)).toBe(found);
  });
});

describe('collectors, needles and fracture', () => {
  test.each<[key: TextKey, text: string, term: string, found: boolean]>([
    ['collectorType', 'Rotating', 'rotating drum', true],
    ['collectorType', 'rotating', 'thin disc', true],
    ['collectorType', 'rotating', 'Two parallel disks', true],
    ['collectorType', 'rotating collector', 'Rolling Drum', true],
    ['collectorType', 'rotating', 'discontinuous plate', false],
    ['collectorType', 'flat', 'Flat With Ethanol Bath', true],
    ['collectorType', 'single', 'Rolling Drum', false],
    ['needleType', 'coaxial', 'Triaxial', false],
    ['needleType', 'rotating', 'Rolling Drum', false],
    ['fractureBehaviour', 'BRITTLE', 'brittle failure', true],
    ['fractureBehaviour', 'ductile', 'brittle failure', false],
    ['fractureBehaviour', 'brittle failure', 'Brittle\nfailure', true],
  ])('%s %s finds %s: %p', (key, text, term, found) => {
    expect(finds(key, text, term)).toBe(found);
  });
});

describe('kinds of collectors and needles', () => {
  const spellings: readonly (readonly [key: TextKey, texts: readonly string[]])[] = [
    ['collectorType', ['drum', 'Rotating Drum', 'Rolling Drum', 'rotary drums', 'drum collector', 'Spinning-drum']],
    ['collectorType', ['disk', 'disc', 'Rotating Disc', 'Rotating Disk Collector', 'spinning disks']],
    ['collectorType', ['mandrel', 'Rotating Mandrel', 'rolling mandrel collector']],
    ['collectorType', ['flat', 'Flat Plate', 'planar', 'flat collector', 'Planar collectors']],
    [
      'needleType',
      ['single', 'Single Needle', 'single nozzle', 'Uniaxial', 'mono-axial spinneret', 'monoaxial needle'],
    ],
    ['needleType', ['coaxial', 'Co-axial', 'co-axial nozzle', 'Coaxial Needle', 'coaxial spinneret']],
  ];

  test.each(spellings)('%s: each of %j finds every other one, but no other kind', (key, texts) => {
    for (const asked of texts) {
      for (const stored of texts) expect([asked, stored, finds(key, asked, stored)]).toEqual([asked, stored, true]);
      for (const [otherKey, others] of spellings) {
        if (otherKey !== key || others === texts) continue;
        for (const stored of others) expect([asked, stored, finds(key, asked, stored)]).toEqual([asked, stored, false]);
      }
    }
  });

  test('a category finds all its kinds, and a general word alone finds no kind', () => {
    const [drums = [], disks = [], mandrels = [], flats = []] = spellings.map(([, texts]) => texts);
    for (const stored of [...drums, ...disks, ...mandrels])
      expect(finds('collectorType', 'rotating', stored)).toBe(true);
    for (const stored of flats) expect(finds('collectorType', 'rotating', stored)).toBe(false);
    expect(finds('needleType', 'needle', 'Uniaxial')).toBe(false);
    expect(finds('collectorType', 'collector', 'Drum')).toBe(false);
  });
});

describe('DOIs', () => {
  const stored = [
    'https://doi.org/10.1007/S10965-014-0571-8.',
    'doi:10.1007/s10965-014-0571-8',
    'DOI10.1007/s10965-014-0571-8',
  ];
  const [term = ''] = stored.flatMap((doi) => recordTerms({ researchMetadata: { doi } }).doi);

  test('have the same term in all spellings', () => {
    for (const doi of stored) expect(recordTerms({ researchMetadata: { doi } }).doi).toEqual([term]);
    expect(term).toBe('10.1007/s10965-014-0571-8');
  });

  test.each([...stored, '10.1007/s10965-014', 's10965', '10.1007', 'doi: 10.1007/S10965'])('%s finds it', (text) => {
    expect(finds('doi', text, term)).toBe(true);
  });

  test('other texts are terms as written, and match in any case', () => {
    const address = 'https://www.sciencedirect.com/science/article/pii/S0927776511005522';
    expect(recordTerms({ researchMetadata: { doi: ` ${address}` } }).doi).toEqual([address]);
    for (const text of ['S0927776511005522', 's0927776511005522', address.toUpperCase()]) {
      expect(finds('doi', text, address)).toBe(true);
    }
  });

  test.each(['10.1007/s10966', 'doi', 'https'])('%s does not', (text) => {
    expect(finds('doi', text, term)).toBe(false);
  });
});
