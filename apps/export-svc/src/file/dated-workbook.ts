import { once } from 'node:events';
import { PassThrough, type Readable, type Writable } from 'node:stream';
// The one module that knows exceljs, which nobody maintains: decision 16 says what would replace it.
import exceljs from 'exceljs';

export type { DataValidation, Row, Worksheet } from 'exceljs';

const CREATOR = 'Electrospinning Dataset Service';

/** What exceljs hands to its archive. */
type Append = (source: Readable | Buffer | string, entry: { name: string; date?: Date }) => unknown;

/**
 * exceljs' streaming workbook, with the same date in every entry of its archive, where it takes the time of the build, and
 * with back-pressure, which it lacks: it writes rows on whether or not the archive keeps up.
 */
export class DatedWorkbook extends exceljs.stream.xlsx.WorkbookWriter {
  declare behind: PassThrough[];

  constructor(file: Writable, date: Date) {
    const about = { creator: CREATOR, lastModifiedBy: CREATOR, created: date, modified: date };
    // Its types leave these options out.
    super({ stream: file, useStyles: true, useSharedStrings: false, ...about });
  }

  // exceljs makes the archive, and gives it its first entries, inside the constructor.
  set zip(archive: { append: Append }) {
    const append = archive.append.bind(archive);
    this.behind = [];
    archive.append = (source, entry) => {
      const dated = { ...entry, date: this.created };
      if (typeof source === 'string' || Buffer.isBuffer(source)) return append(source, dated);
      const between = new PassThrough();
      source.pipe(between);
      this.behind.push(between);
      return append(between, dated);
    };
    Object.defineProperty(this, 'zip', { value: archive });
  }

  /** Resolves when the archive has taken what the sheets wrote. */
  async taken(): Promise<void> {
    for (const between of this.behind) if (between.writableNeedDrain) await once(between, 'drain');
  }
}
