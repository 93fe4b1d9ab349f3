import { describe, expect, test } from '@jest/globals';
import { validateSubmission } from '../../src/validate/validate-submission.ts';
import type { SubmissionCheck } from '../../src/validate/validate-submission.ts';
import { references } from '../seed-lists.ts';

const polymerProperty = { polymerComponents: [{ polymerName: 'PCL' }] };
const imageId = '0197a0b0-0000-7000-8000-00000000000a';

const check = (input: unknown): SubmissionCheck => validateSubmission(input, references, { userMetadata: 'optional' });
const checkItem = (item: unknown): SubmissionCheck => check({ experimentData: [item] });
/** Parses an item as a request does, so that members such as `__proto__` are own members. */
const parsed = (text: string): unknown => JSON.parse(text);

describe('each problem in an item has its path, its code and a correction', () => {
  test.each<[string, unknown, string, string, RegExp]>([
    [
      'unknown polymer',
      { polymerProperty: { polymerComponents: [{ polymerName: 'PCLL' }] } },
      'polymerProperty.polymerComponents[0].polymerName',
      'UNKNOWN_POLYMER',
      /"PCLL".*"PCL"/,
    ],
    [
      'polymer without similar names',
      { polymerProperty: { polymerComponents: [{ polymerName: 'unobtainium' }] } },
      'polymerProperty.polymerComponents[0].polymerName',
      'UNKNOWN_POLYMER',
      /\/metadata\/polymers/,
    ],
    [
      'unknown solvent',
      { solventProperty: { solventComponents: [{ solventName: 'DMF' }, { solventName: 'Acetonee' }] } },
      'solventProperty.solventComponents[1].solventName',
      'UNKNOWN_SOLVENT',
      /"ACETONE"/,
    ],
    [
      'ambiguous polymer',
      { polymerProperty: { polymerComponents: [{ polymerName: 'pei' }] } },
      'polymerProperty.polymerComponents[0].polymerName',
      'AMBIGUOUS_NAME',
      /POLYETHERIMIDE or POLYETHYLENIMINE/,
    ],
    [
      'unknown unit',
      { processParameter: { voltage: 12, voltageUnit: 'kilovots' } },
      'processParameter.voltageUnit',
      'UNKNOWN_UNIT',
      /"kilovots".*"kV"/,
    ],
    [
      'unit of another dimension',
      { solutionProperty: { viscosity: 3, viscosityUnit: 'cps' } },
      'solutionProperty.viscosityUnit',
      'UNIT_NOT_APPLICABLE',
      /"cps".*count.*cP/,
    ],
    [
      'unit of another dimension, without its value',
      { processParameter: { voltageUnit: 'cm' } },
      'processParameter.voltageUnit',
      'UNIT_NOT_APPLICABLE',
      /kV, V/,
    ],
    [
      'unknown morphology',
      { fiberProperty: { fiberMorphology: [{ category: 'Shape', label: 'Ribon' }] } },
      'fiberProperty.fiberMorphology[0].label',
      'UNKNOWN_MORPHOLOGY',
      /"Ribbon"/,
    ],
    [
      'unknown instability',
      { processParameter: { instability: ['Whiping'] } },
      'processParameter.instability[0]',
      'UNKNOWN_INSTABILITY',
      /"Whipping"/,
    ],
    [
      'label without a label',
      { fiberProperty: { fiberMorphology: [{ category: 'Shape' }] } },
      'fiberProperty.fiberMorphology[0].label',
      'MISSING_VALUE',
      /label/,
    ],
    [
      'empty label',
      { fiberProperty: { fiberMorphology: [' '] } },
      'fiberProperty.fiberMorphology[0]',
      'MISSING_VALUE',
      /label/,
    ],
    [
      'unknown member of a label',
      { fiberProperty: { fiberMorphology: [{ label: 'Bead', lable: 1 }] } },
      'fiberProperty.fiberMorphology[0].lable',
      'UNKNOWN_MEMBER',
      /category, label/,
    ],
    ['mistyped group', { procesParameter: {} }, 'procesParameter', 'UNKNOWN_MEMBER', /"processParameter"/],
    [
      'mistyped member',
      { processParameter: { votlage: 12 } },
      'processParameter.votlage',
      'UNKNOWN_MEMBER',
      /"voltage"/,
    ],
    [
      'mistyped unit member',
      { processParameter: { voltageUnits: 'kV' } },
      'processParameter.voltageUnits',
      'UNKNOWN_MEMBER',
      /"voltageUnit"/,
    ],
    ['member of another group', { voltage: 12 }, 'voltage', 'UNKNOWN_MEMBER', /belongs in "processParameter"/],
    [
      'member without similar names',
      { ambientParameter: { pressure: 1 } },
      'ambientParameter.pressure',
      'UNKNOWN_MEMBER',
      /temperature, temperatureUnit, humidity/,
    ],
    ['__proto__', parsed('{"__proto__": {"polluted": true}}'), '__proto__', 'UNKNOWN_MEMBER', /known/],
    [
      'constructor',
      { processParameter: { constructor: 1 } },
      'processParameter.constructor',
      'UNKNOWN_MEMBER',
      /known/,
    ],
    [
      '__proto__ among free members',
      parsed('{"needleProperty": {"needleDefinition": {"__proto__": {"a": 1}}}}'),
      'needleProperty.needleDefinition.__proto__',
      'UNKNOWN_MEMBER',
      /not allowed/,
    ],
    [
      'number as text',
      { processParameter: { voltage: '12' } },
      'processParameter.voltage',
      'WRONG_TYPE',
      /without quotes.*"12"/,
    ],
    [
      'text for a number',
      { processParameter: { voltage: 'high' } },
      'processParameter.voltage',
      'WRONG_TYPE',
      /a number, got "high"/,
    ],
    [
      'boolean for a number',
      { processParameter: { voltage: true } },
      'processParameter.voltage',
      'WRONG_TYPE',
      /got true/,
    ],
    [
      'number for a text',
      { needleProperty: { needleType: 5 } },
      'needleProperty.needleType',
      'WRONG_TYPE',
      /a string, got 5/,
    ],
    [
      'text for a boolean',
      { researchMetadata: { customDevice: 'yes' } },
      'researchMetadata.customDevice',
      'WRONG_TYPE',
      /true or false, got "yes"/,
    ],
    [
      'text other than yes or no for a boolean',
      { fiberProperty: { isFormationStable: 'perhaps' } },
      'fiberProperty.isFormationStable',
      'WRONG_TYPE',
      /"yes" or "no"/,
    ],
    ['text for a group', { ambientParameter: 'warm' }, 'ambientParameter', 'WRONG_TYPE', /an object, got "warm"/],
    ['list for a group', { ambientParameter: [] }, 'ambientParameter', 'WRONG_TYPE', /got an array/],
    [
      'object for a list',
      { polymerProperty: { polymerComponents: { polymerName: 'PCL' } } },
      'polymerProperty.polymerComponents',
      'WRONG_TYPE',
      /an array, got an object/,
    ],
    [
      'null in a list',
      { polymerProperty: { polymerComponents: [null] } },
      'polymerProperty.polymerComponents[0]',
      'WRONG_TYPE',
      /got null/,
    ],
    [
      'number for a label',
      { fiberProperty: { fiberMorphology: [1] } },
      'fiberProperty.fiberMorphology[0]',
      'WRONG_TYPE',
      /label/,
    ],
    ['null for an item', null, '', 'WRONG_TYPE', /an object, got null/],
    ['1e999', parsed('{"processParameter": {"voltage": 1e999}}'), 'processParameter.voltage', 'NOT_FINITE', /finite/],
    [
      '1e999 among free members',
      parsed('{"needleProperty": {"needleDefinition": {"size": -1e999}}}'),
      'needleProperty.needleDefinition.size',
      'NOT_FINITE',
      /-Infinity/,
    ],
    [
      'text beyond its length',
      { needleProperty: { needleType: 'x'.repeat(501) } },
      'needleProperty.needleType',
      'TOO_LONG',
      /500 characters.*501/,
    ],
    [
      'name beyond its length',
      { polymerProperty: { polymerComponents: [{ polymerName: 'x'.repeat(9_000) }] } },
      'polymerProperty.polymerComponents[0].polymerName',
      'TOO_LONG',
      /2000/,
    ],
    [
      'lone surrogate',
      { fiberProperty: { qualityGrade: 'a\ud800b' } },
      'fiberProperty.qualityGrade',
      'INVALID_TEXT',
      /surrogate/,
    ],
    ['NUL', { fiberProperty: { qualityGrade: 'a\u0000b' } }, 'fiberProperty.qualityGrade', 'INVALID_TEXT', /U\+0000/],
    ...['\u007F', '\u0080', '\u009B', '\u202A', '\u202E', '\u2066', '\u2069'].map(
      (character): [string, unknown, string, string, RegExp] => {
        const code = character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0');
        const pattern = new RegExp(`"a..${code}b" .*U\\+${code}`, 'i');
        const record = { fiberProperty: { qualityGrade: `a${character}b` } };
        return [`U+${code}`, record, 'fiberProperty.qualityGrade', 'INVALID_TEXT', pattern];
      },
    ),
    [
      'a bidirectional override in a free name',
      { needleProperty: { needleDefinition: { 'a\u202E': 1 } } },
      'needleProperty.needleDefinition.a\u202E',
      'UNKNOWN_MEMBER',
      /"a.u202e" is not allowed/,
    ],
    [
      'NUL in a free text',
      { needleProperty: { needleDefinition: { note: '\u0000' } } },
      'needleProperty.needleDefinition.note',
      'INVALID_TEXT',
      /U\+0000/,
    ],
    [
      'NUL in a free name',
      { needleProperty: { needleDefinition: { 'a\u0000': 1 } } },
      'needleProperty.needleDefinition.a\u0000',
      'UNKNOWN_MEMBER',
      /not allowed/,
    ],
    [
      'unknown unit in a free object',
      { collectorProperty: { collectorDefinition: { rotationSpeed: 1, rotationSpeedUnit: 'turns' } } },
      'collectorProperty.collectorDefinition.rotationSpeedUnit',
      'UNKNOWN_UNIT',
      /"turns"/,
    ],
    [
      'deep free object',
      { needleProperty: { needleDefinition: { a: { b: { c: { d: { e: 1 } } } } } } },
      'needleProperty.needleDefinition.a.b.c.d',
      'TOO_DEEP',
      /4 levels/,
    ],
    [
      'text for a free object',
      { needleProperty: { needleDefinition: '22 G' } },
      'needleProperty.needleDefinition',
      'WRONG_TYPE',
      /an object/,
    ],
    [
      'many free members',
      { needleProperty: { needleDefinition: Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`a${i}`, i])) } },
      'needleProperty.needleDefinition',
      'TOO_MANY_ITEMS',
      /100/,
    ],
    [
      'many components',
      { polymerProperty: { polymerComponents: Array.from({ length: 101 }, () => ({ polymerName: 'PCL' })) } },
      'polymerProperty.polymerComponents',
      'TOO_MANY_ITEMS',
      /100 items.*101/,
    ],
    [
      'different values under two spellings',
      { solutionProperty: { viscosity: 1, solutionViscosity: 2 } },
      'solutionProperty.solutionViscosity',
      'CONFLICTING_MEMBERS',
      /`viscosity`/,
    ],
    [
      'image without an id',
      { fiberImages: [{ imageType: 'SEM' }] },
      'fiberImages[0].imageId',
      'MISSING_VALUE',
      /imageId/,
    ],
    [
      'image with a wrong id',
      { fiberImages: [{ imageId: '../x' }] },
      'fiberImages[0].imageId',
      'INVALID_FORMAT',
      /upload/,
    ],
    [
      'record beyond its size',
      { fiberImages: [{ imageId, imageDefinition: { note: 'é'.repeat(200_000) } }] },
      '',
      'RECORD_TOO_LARGE',
      /262144 bytes.*`fiberImages\[0\]\.imageDefinition\.note` takes 400002/,
    ],
  ])('%s', (_title, item, path, code, message) => {
    const { problems, problemCount, submission } = checkItem(item);
    expect(submission).toBeUndefined();
    expect(problems).toHaveLength(problemCount);
    const base = path === '' ? 'experimentData[0]' : `experimentData[0].${path}`;
    expect(problems).toEqual([{ path: base, code, message: expect.stringMatching(message) }]);
  });
});

describe('each problem of the body', () => {
  const item = { polymerProperty };
  test.each<[string, unknown, string, string, RegExp]>([
    ['array for the body', [], '', 'WRONG_TYPE', /an object, got an array/],
    ['null', null, '', 'WRONG_TYPE', /null/],
    ['no records', {}, 'experimentData', 'MISSING_VALUE', /at least one record/],
    ['an empty list of records', { experimentData: [] }, 'experimentData', 'MISSING_VALUE', /at least one record/],
    ['one record without its list', { experimentData: item }, 'experimentData', 'WRONG_TYPE', /an array of records/],
    [
      '1,001 records',
      { experimentData: Array.from({ length: 1_001 }, () => item) },
      'experimentData',
      'TOO_MANY_RECORDS',
      /1000 records.*1001/,
    ],
    [
      'unknown member',
      { experimentData: [item], experimentalData: [] },
      'experimentalData',
      'UNKNOWN_MEMBER',
      /experimentData/,
    ],
    ['imageOnly as text', { experimentData: [item], imageOnly: 'no' }, 'imageOnly', 'WRONG_TYPE', /true or false/],
    [
      'research metadata as text',
      { experimentData: [item], researchMetadata: 'doi' },
      'researchMetadata',
      'WRONG_TYPE',
      /an object/,
    ],
    [
      'mistyped research metadata',
      { experimentData: [item], researchMetadata: { DIO: '10.1/x' } },
      'researchMetadata.DIO',
      'UNKNOWN_MEMBER',
      /"doi"/,
    ],
    [
      'user metadata as text',
      { experimentData: [item], userMetadata: 'me' },
      'userMetadata',
      'WRONG_TYPE',
      /an object/,
    ],
    [
      'terms that are not accepted',
      { experimentData: [item], userMetadata: { consentTerms: false } },
      'userMetadata.consentTerms',
      'CONSENT_REQUIRED',
      /accept the terms/,
    ],
    [
      'email',
      { experimentData: [item], userMetadata: { email: 'me@home' } },
      'userMetadata.email',
      'INVALID_FORMAT',
      /"me@home"/,
    ],
    [
      'ORCID',
      { experimentData: [item], userMetadata: { orcid: '0000-0002-1825-0098' } },
      'userMetadata.orcid',
      'INVALID_FORMAT',
      /check digit/,
    ],
    [
      'image-only without an image',
      { experimentData: [{}], imageOnly: true },
      'experimentData[0].fiberImages',
      'MISSING_VALUE',
      /image/,
    ],
  ])('%s', (_title, input, path, code, message) => {
    const { problems, submission } = check(input);
    expect(submission).toBeUndefined();
    expect(problems).toEqual([{ path, code, message: expect.stringMatching(message) }]);
  });
});
