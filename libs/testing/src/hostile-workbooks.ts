import { createHash } from 'node:crypto';
import { workbookParts, zipOf } from './zip.ts';

/** Unpacked bytes of the hostile part, just below the 16 MB limit of a part. */
const PART_BYTES = 16_000_000;
/** Noise that keeps the compression ratio of such a part below 300, above which it is refused immediately. */
const NOISE_BYTES = 60_000;

/** Creates a workbook of some KB with a number format on which a backtracking regular expression takes minutes. */
export function numberFormatBomb(): Buffer {
  const code = '['.repeat(1_000_000);
  return zipOf(
    workbookParts(onlyRecord, {
      styles: `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="${code}"/></numFmts><cellXfs><xf numFmtId="164"/></cellXfs></styleSheet>`,
    }),
  );
}

/** Creates a workbook of about 70 KB with five million nested elements, which take gigabytes in a parser that builds a tree. */
export function nestedXmlBomb(): Buffer {
  return zipOf(workbookParts(noise() + '<a>'.repeat(PART_BYTES / 3)));
}

/** Creates a workbook of about 70 KB with three million shared strings. */
export function stringBomb(): Buffer {
  return zipOf(workbookParts(onlyRecord, { sharedStrings: `<sst>${noise()}${'<si/>'.repeat(PART_BYTES / 5)}</sst>` }));
}

/** Creates a workbook of some MB with more than a million attributes in one element. */
export function attributeBomb(): Buffer {
  const attributes = Array.from({ length: 1_300_000 }, (_, i) => `a${i.toString(36)}=""`);
  return zipOf(workbookParts(`<sheetData ${attributes.join(' ')}></sheetData>`));
}

const onlyRecord =
  '<sheetData><row><c t="inlineStr"><is><t>voltage</t></is></c></row><row><c><v>1</v></c></row></sheetData>';

/** Returns an incompressible XML comment, always the same one. */
function noise(): string {
  let block = Buffer.alloc(32);
  const blocks = Array.from({ length: NOISE_BYTES / 32 }, () => (block = createHash('sha256').update(block).digest()));
  return `<!--${Buffer.concat(blocks).toString('base64')}-->`;
}
