import { once } from 'node:events';
import { PassThrough, type Readable, Transform, type Writable } from 'node:stream';
// Only this module imports exceljs, which is no longer maintained. Decision 16 names the replacement.
import exceljs, { type AddWorksheetOptions, type Worksheet } from 'exceljs';
import { columnLetters } from '@esd/record/sheet/column-letters';

export type { DataValidation, Row, Worksheet } from 'exceljs';

const CREATOR = 'Electrospinning Dataset Service';

export interface SheetSize {
  columns: number;
  rows: number;
}

type Append = (source: Readable | Buffer | string, entry: { name: string; date?: Date }) => unknown;

/**
 * Extends the streaming workbook of exceljs. Every archive entry has a fixed date instead of the build time, each sheet
 * has its dimension, and writers can wait for back-pressure.
 */
export class DatedWorkbook extends exceljs.stream.xlsx.WorkbookWriter {
  // Not initialized here, because the constructor of exceljs already adds entries to the archive.
  declare behind: Transform[];
  declare dimension: string | undefined;

  constructor(file: Writable, date: Date) {
    const about = { creator: CREATOR, lastModifiedBy: CREATOR, created: date, modified: date };
    // The type declarations of exceljs lack these options.
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

  /** Adds a sheet with its dimension, so that readers know the number of rows and columns in advance. */
  addSheet(name: string, { columns, rows }: SheetSize, options?: Partial<AddWorksheetOptions>): Worksheet {
    this.dimension = `A1:${columnLetters(columns - 1)}${rows}`;
    try {
      return this.addWorksheet(name, options);
    } finally {
      this.dimension = undefined;
    }
  }

  /** Resolves when the archive has read the output of all sheets. */
  async taken(): Promise<void> {
    for (const between of this.behind) if (between.writableNeedDrain) await once(between, 'drain');
  }
}

/** Inserts the dimension into the XML of a sheet, before its views and formats (ECMA-376 part 1, 18.3.1.99). */
function withDimension(reference: string): Transform {
  let isFirst = true;
  return new Transform({
    transform: (chunk: Buffer, _encoding, done) => {
      if (!isFirst) {
        done(null, chunk);
        return;
      }
      isFirst = false;
      // Latin-1 preserves every byte, even of a character split between chunks.
      const head = chunk.toString('latin1').replace(/<sheet(?:Views|FormatPr)/, `<dimension ref="${reference}"/>$&`);
      done(null, Buffer.from(head, 'latin1'));
    },
  });
}
