import { once } from 'node:events';
import { PassThrough, type Readable, Transform, type Writable } from 'node:stream';
// The one module that imports exceljs, which is no longer maintained: decision 16 says what would replace it.
import exceljs, { type AddWorksheetOptions, type Worksheet } from 'exceljs';
import { columnLetters } from './column-letters.ts';

export type { DataValidation, Row, Worksheet } from 'exceljs';

const CREATOR = 'Electrospinning Dataset Service';

/** The cells of a sheet, its heading included. */
export interface SheetSize {
  columns: number;
  rows: number;
}

/** What exceljs hands to its archive. */
type Append = (source: Readable | Buffer | string, entry: { name: string; date?: Date }) => unknown;

/**
 * exceljs' streaming workbook, with the same date in every entry of its archive, where it takes the time of the build; with
 * the dimension of each sheet, which it leaves out; and with back-pressure, which it lacks: it writes rows on whether or not
 * the archive keeps up.
 */
export class DatedWorkbook extends exceljs.stream.xlsx.WorkbookWriter {
  // Not initialized here: exceljs makes the archive, and gives it its first entries, inside its constructor.
  declare behind: Transform[];
  declare dimension: string | undefined;

  constructor(file: Writable, date: Date) {
    const about = { creator: CREATOR, lastModifiedBy: CREATOR, created: date, modified: date };
    // Its types leave these options out.
    super({ stream: file, useStyles: true, useSharedStrings: false, ...about });
  }

  set zip(archive: { append: Append }) {
    const append = archive.append.bind(archive);
    this.behind = [];
    archive.append = (source, entry) => {
      const dated = { ...entry, date: this.created };
      if (typeof source === 'string' || Buffer.isBuffer(source)) return append(source, dated);
      const between = this.dimension === undefined ? new PassThrough() : withDimension(this.dimension);
      source.pipe(between);
      this.behind.push(between);
      return append(between, dated);
    };
    Object.defineProperty(this, 'zip', { value: archive });
  }

  /** Adds a sheet that says how large it is, so that readers know it before they have read all rows. */
  addSheet(name: string, { columns, rows }: SheetSize, options?: Partial<AddWorksheetOptions>): Worksheet {
    this.dimension = `A1:${columnLetters(columns - 1)}${rows}`;
    try {
      return this.addWorksheet(name, options);
    } finally {
      this.dimension = undefined;
    }
  }

  /** Resolves when the archive has taken what the sheets wrote. */
  async taken(): Promise<void> {
    for (const between of this.behind) if (between.writableNeedDrain) await once(between, 'drain');
  }
}

/** Passes the XML of a sheet on, with its dimension, which ECMA-376 part 1, 18.3.1.99 wants before the views and formats. */
function withDimension(reference: string): Transform {
  let isFirst = true;
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      if (!isFirst) {
        done(null, chunk);
        return;
      }
      isFirst = false;
      // Latin-1 keeps every byte, also those of a character that is cut at the end of the chunk.
      const head = chunk.toString('latin1').replace(/<sheet(?:Views|FormatPr)/, `<dimension ref="${reference}"/>$&`);
      done(null, Buffer.from(head, 'latin1'));
    },
  });
}
