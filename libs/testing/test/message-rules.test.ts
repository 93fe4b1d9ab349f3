import { expect, test } from '@jest/globals';
import { messageFaults } from '../src/message-rules.ts';

test.each([
  'Expected an array.',
  '`reason` must have 1 to 2000 characters; it has 0.',
  'PUT is not allowed here; use GET, HEAD or OPTIONS.',
  '`record` requires `explain=true`.',
  'There is no published record 5.',
  'Send an HTTP URL, a UUID, an hour, a unit, an "odd  value", an XLSX file or a one-time password.',
  '`fractureBehaviour` must be a string; it is otherwise precise.',
  'Unknown member `colour`; see /metadata/fibres.',
])('"%s" follows the rules', (message) => {
  expect(messageFaults(message)).toEqual([]);
});

test.each([
  ['A array is needed here.', /wrong article in "A array"/],
  ['Expected an number.', /wrong article in "an number"/],
  ['expected an array.', /capital letter/],
  ['Expected an array', /period/],
  ['Expected  an array.', /two spaces/],
  ['Expected an array ; send one.', /space before a punctuation mark/],
  ['"x" is no number.', /capital letter/],
  ['The text "x" is no number.', /"is no" for "is not a"/],
  ['PUT is not possible here.', /not allowed/],
  ['1 to 2000 are right.', /unusual term/],
  ['Expected a fibre.', /British/],
  ['Normalise the text.', /British/],
  ['Expected undefined.', /internal value/],
  ['The dataset-svc is down.', /internal/],
  ['Send the the name.', /repeats a word/],
])('"%s" breaks a rule', (message, fault) => {
  expect(messageFaults(message).join('; ')).toMatch(fault);
});
