import { createHash } from 'node:crypto';
import { workbookParts, zipOf } from './zip.ts';

/** Unpacked bytes of the part that does the harm: just under the 16 MB that are read of a part. */
const PART_BYTES = 16_000_000;
/** Bytes of noise that keep such a part from being packed to less than a 300th, which is refused at once. */
const NOISE_BYTES = 60_000;

/** A workbook of some KB whose number format made a scan with a backtracking regular expression take minutes. */
export function numberFormatBomb(): Buffer {
  const code = '['.repeat(1_000_000);
  return zipOf(
    workbookParts(onlyRecord, {
      styles: `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="${code}"/></numFmts><cellXfs><xf numFmtId="164"/></cellXfs></styleSheet>`,
    }),
  );
}

/** A workbook of some 70 KB with a sheet of five million elements inside each other: gigabytes in a parser that keeps them. */
export function nestedXmlBomb(): Buffer {
  return zipOf(workbookParts(noise() + '<a>'.repeat(PART_BYTES / 3)));
}

/** A workbook of some 70 KB with three million shared strings. */
export function stringBomb(): Buffer {
  return zipOf(workbookParts(onlyRecord, { sharedStrings: `<sst>${noise()}${'<si/>'.repeat(PART_BYTES / 5)}</sst>` }));
}

/** A workbook of some MB with an element of more than a million attributes. */
export function attributeBomb(): Buffer {
  const attributes = Array.from({ length: 1_300_000 }, (_, i) => `a${i.toString(36)}=""`);
  return zipOf(workbookParts(`<sheetData ${attributes.join(' ')}></sheetData>`));
}

const onlyRecord =
  '<sheetData><row><c t="inlineStr"><is><t>voltage</t></is></c></row><row><c><v>1</v></c></row></sheetData>';

/** A comment that cannot be packed, the same one each time. */
function noise(): string {
  let block = Buffer.alloc(32);
  const blocks = Array.from({ length: NOISE_BYTES / 32 }, () => (block = createHash('sha256').update(block).digest()));
  return `<!--${Buffer.concat(blocks).toString('base64')}-->`;
}
