import { expect, test } from '@jest/globals';
import { publicRecordJson } from '../../src/catalog/public-record.ts';
import { validateImage } from '../../src/validate/validate-image.ts';
import { validateSubmission } from '../../src/validate/validate-submission.ts';
import { references } from '../seed-lists.ts';

const imageId = '0197a0b0-0000-7000-8000-00000000000a';

test('a single image follows the rules of an image in a record', () => {
  expect(validateImage({ imageId: ` ${imageId.toUpperCase()}`, imageType: ' SEM ' }, references)).toEqual({
    problems: [],
    problemCount: 0,
    image: { imageId, imageType: 'SEM' },
  });
  const definition = { pixelSize: 5, pixelSizeUnit: 'NM' };
  expect(validateImage({ imageId, imageDefinition: definition }, references).image?.imageDefinition).toEqual({
    pixelSize: 5,
    pixelSizeUnit: 'nm',
  });
});

test.each<[string, unknown, string, string]>([
  ['no object', [], '', 'WRONG_TYPE'],
  ['no id', { imageType: 'SEM' }, 'imageId', 'MISSING_VALUE'],
  ['null for the id', { imageId: null }, 'imageId', 'MISSING_VALUE'],
  ['no UUID', { imageId: '17' }, 'imageId', 'INVALID_FORMAT'],
  ['another member', { imageId, imageTyp: 'SEM' }, 'imageTyp', 'UNKNOWN_MEMBER'],
  ['an unknown unit', { imageId, imageDefinition: { unit: 'furlong' } }, 'imageDefinition.unit', 'UNKNOWN_UNIT'],
])('%s is an error', (_title, input, path, code) => {
  const { problems, image } = validateImage(input, references);
  expect(problems).toMatchObject([{ path, code }]);
  expect(image).toBeUndefined();
});

test('members set by the service are ignored in requests and present in the read form', () => {
  const answered = { width: 1, height: 'x', contentUrl: null };
  expect(validateImage({ imageId, ...answered }, references).image).toEqual({ imageId });
  const item = {
    polymerProperty: { polymerComponents: [{ polymerName: 'PCL' }] },
    fiberImages: [{ imageId, ...answered }],
  };
  const { problems, submission } = validateSubmission({ experimentData: [item] }, references, {
    userMetadata: 'optional',
  });
  expect(problems).toEqual([]);
  expect(submission?.records[0]?.data.fiberImages).toEqual([{ imageId }]);
  const stored = { contentUrl: `/images/${imageId}/content`, height: 30, width: 40, imageId };
  expect(JSON.parse(publicRecordJson(1, { fiberImages: [stored] }))).toEqual({
    recordId: 1,
    experimentId: 1,
    fiberImages: [stored],
  });
});
