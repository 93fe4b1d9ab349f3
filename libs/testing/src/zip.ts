import { crc32, deflateRawSync } from 'node:zlib';

/** An entry of an archive. Its headers can be wrong. */
export interface ZipEntry {
  name: string;
  data: Buffer;
  /** The unpacked size in the headers. */
  claims?: number;
  encrypted?: true;
}

export function zipOf(entries: readonly ZipEntry[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, data, claims = data.length, encrypted } of entries) {
    const packed = deflateRawSync(data);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(encrypted ? 1 : 0, 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc32(data), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(claims, 18);
    common.writeUInt16LE(Buffer.byteLength(name), 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), common, Buffer.from(name), packed]);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(offset, 10);
    directory.push(Buffer.from('PK\x01\x02\x14\x00', 'latin1'), common, tail, Buffer.from(name));
    files.push(local);
    offset += local.length;
  }
  const central = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 'latin1');
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(central.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...files, central, end]);
}

const RELATIONSHIPS = 'http://schemas.openxmlformats.org/package/2006/relationships';
const OFFICE = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';

/** Returns the parts of a workbook with one sheet. `sheet` is the XML inside `worksheet`; `others` has the whole XML of further parts. */
export function workbookParts(sheet: string, others: { styles?: string; sharedStrings?: string } = {}): ZipEntry[] {
  const relationship = (id: string, type: string, target: string) =>
    `<Relationship Id="${id}" Type="${OFFICE}/${type}" Target="${target}"/>`;
  const relationships = [
    relationship('r1', 'worksheet', '/xl/worksheets/sheet1.xml'),
    ...Object.keys(others).map((type) => relationship(type, type, `/xl/${type}.xml`)),
  ];
  const parts: Record<string, string> = {
    '[Content_Types].xml': '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    '_rels/.rels': `<Relationships xmlns="${RELATIONSHIPS}">${relationship('r1', 'officeDocument', 'xl/workbook.xml')}</Relationships>`,
    'xl/workbook.xml': `<workbook xmlns:r="${OFFICE}"><sheets><sheet name="My data" sheetId="1" r:id="r1"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships xmlns="${RELATIONSHIPS}">${relationships.join('')}</Relationships>`,
    ...Object.fromEntries(Object.entries(others).map(([type, xml]) => [`xl/${type}.xml`, xml])),
    'xl/worksheets/sheet1.xml': `<worksheet>${sheet}</worksheet>`,
  };
  return Object.entries(parts).map(([name, xml]) => ({ name, data: Buffer.from(xml) }));
}
