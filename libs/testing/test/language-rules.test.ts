import { expect, test } from '@jest/globals';
import { languageFaults, messageFaults } from '../src/language-rules.ts';

test.each([
  'Expected an array.',
  '`reason` must have 1 to 2000 characters; it has 0.',
  'PUT is not allowed here; use GET, HEAD or OPTIONS.',
  '`record` requires `explain=true`.',
  'There is no published record 5.',
  'Send an HTTP URL, a UUID, an hour, a unit, an "odd  value", an XLSX file or a one-time password.',
  '`fractureBehaviour` must be a string; it is otherwise precise.',
  'Unknown member `colour`; see /metadata/fibres.',
])('%s keeps the rules', (message) => {
  expect(messageFaults(message)).toEqual([]);
});

test.each([
  ['A array is needed here.', /wrong article in "A array"/],
  ['Expected an number.', /wrong article in "an number"/],
  ['expected an array.', /capital letter/],
  ['Expected an array', /full stop/],
  ['Expected  an array.', /one space/],
  ['Expected an array ; send one.', /no space before a mark/],
  ['"x" is no number.', /capital letter/],
  ['The text "x" is no number.', /"is no"; write "is not a"/],
  ['PUT is not possible here.', /not allowed/],
  ['1 to 2000 are right.', /that the caller knows/],
  ['Expected a fibre.', /American/],
  ['Normalise the text.', /American/],
  ['Expected undefined.', /form in the program/],
  ['The dataset-svc is down.', /that the caller knows/],
  ['Send the the name.', /the word once/],
  ['Send it anew.', /"anew"; write "again"/],
])('%s does not', (message, fault) => {
  expect(messageFaults(message).join('; ')).toMatch(fault);
});

test.each([
  '/** The name. */',
  "const wished = 'the band plays';",
  '// When a client leaves, the stream ends.',
  'Returns null if there are none.',
  'The user `nobody` runs it.',
])('%j has no fault', (text) => {
  expect(languageFaults(text)).toEqual([]);
});

test.each([
  ['/** What the page shows. */', 1, '/** What'],
  ['const a = 1;\n/**\n * Who may read it.\n */', 2, '/** * Who'],
  ['a\n  // What follows is sorted.', 2, '// What'],
  ['# What is left', 1, '# What'],
  ['def f():\n    """What it returns."""', 2, '"""What'],
  ['one\n * two is sent as\n * it is, three', 2, 'as it is'],
  ['// sends all at\n// once', 1, 'at once'],
  ["log.info('nobody listens')", 1, 'nobody'],
])('%j has a fault in line %d', (text, line, found) => {
  expect(languageFaults(text)).toMatchObject([{ line, found }]);
});
