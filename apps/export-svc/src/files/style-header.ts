import type { Row } from './dated-workbook.ts';

const FILL = 'FFDDE7F0';

export function styleHeader(row: Row): void {
  row.eachCell((cell) => {
    cell.font = { bold: true };
    cell.fill = { type: 'pattern', pattern: 'solid', fgColor: { argb: FILL } };
    cell.border = { bottom: { style: 'thin' } };
  });
}
