import exceljs from 'exceljs';
import { columnIndex } from '@esd/record/sheet/sheet-grid';
import { columnLetters } from '@esd/record/sheet/column-letters';
import type { LabSheet } from './lab-sheets.ts';

/** Splits a table of lines and bars; its first line is empty. Only plain spaces around a cell are not part of it. */
export function linesOf(text: string): string[][] {
  const lines = text.split('\n').slice(1);
  return lines.map((line) => line.split('|').map((cell) => cell.replace(/^ +| +$/g, '')));
}

/** The parts of a text between which the font changes. */
const RUN = /\^\{(?<superscript>[^}]*)\}|_\{(?<subscript>[^}]*)\}|~~(?<struck>.*?)~~|(?<plain>.+?(?=\^\{|_\{|~~|$))/g;
const FORMATTED = /^(?<number>-?[\d.]+)\{(?<numFmt>.+)\}$/;
const NUMBER = /^-?\d+(\.\d+)?(E[+-]?\d+)?$/;

/** Returns the value of a cell, in the notation of `LabSheet.cells`. */
function valueOf(text: string): exceljs.CellValue {
  if (NUMBER.test(text)) return Number(text);
  if (/^\d{4}-\d\d-\d\d$/.test(text)) return new Date(text);
  const [, formula, result] = /^=(.+) -> (.+)$/.exec(text) ?? [];
  if (formula !== undefined) return { formula, result: Number(result) };
  if (!/[\^_]\{|~~/.test(text)) return text.replace(/^'/, '') || null;
  const runs = [...text.matchAll(RUN)].map(({ groups = {} }): exceljs.RichText => {
    const { superscript, subscript, struck, plain = '' } = groups;
    if (superscript !== undefined) return { text: superscript, font: { vertAlign: 'superscript' } };
    if (subscript !== undefined) return { text: subscript, font: { vertAlign: 'subscript' } };
    return struck === undefined ? { text: plain } : { text: struck, font: { strike: true } };
  });
  return { richText: runs };
}

/** Returns the file of a sheet: a workbook, or the text of a CSV file. */
export async function fileOf({ cells, csv = '', merged = [], hidden = [], comments = {} }: LabSheet): Promise<Buffer> {
  if (cells === undefined) return Buffer.from(csv);
  const workbook = new exceljs.Workbook();
  const sheet = workbook.addWorksheet('Sheet1');
  for (const [row, texts] of linesOf(cells).entries()) {
    for (const [column, text] of texts.entries()) {
      const { number, numFmt } = FORMATTED.exec(text)?.groups ?? {};
      const cell = sheet.getCell(`${columnLetters(column)}${row + 1}`);
      cell.value = number === undefined ? valueOf(text) : Number(number);
      if (numFmt !== undefined) cell.numFmt = numFmt;
    }
  }
  for (const range of merged) sheet.mergeCells(range);
  for (const place of hidden) {
    if (typeof place === 'number') sheet.getRow(place).hidden = true;
    else sheet.getColumn(columnIndex(place) + 1).hidden = true;
  }
  for (const [address, text] of Object.entries(comments)) sheet.getCell(address).note = text;
  return Buffer.from(await workbook.xlsx.writeBuffer());
}
