import { type ComponentChildren, render } from 'preact';
import { type CsvCell, saveCsv } from '../client/save-csv.ts';
import { saveBlob } from '../client/save-file.ts';

/** Saves figures and their data as files that can be read without the page. */

/** The width of one and of two columns of a journal. */
export type MmWidth = 85 | 180;

interface Size {
  readonly width: number;
  readonly height: number;
}

/** A figure for a file. The sizes are in CSS pixels, of which 96 are an inch. */
export interface SavedFigure {
  /** Loads the figure at a width. Throws RequestError. */
  file: (mm: MmWidth) => Promise<{
    print: (size: Size) => ComponentChildren;
    /** The paragraphs below the figure: its selection, numbers, notes, and source. */
    readonly caption: readonly string[];
    readonly data: FigureData;
  }>;
}

interface FigureData {
  readonly heads: readonly string[];
  readonly rows: readonly (readonly CsvCell[])[];
}

interface Printed {
  readonly print: (size: Size) => ComponentChildren;
  readonly caption: readonly string[];
  readonly title: string;
  readonly legend: ComponentChildren;
}

const SVG = 'http://www.w3.org/2000/svg';
// Present on most systems, or replaced by a font with the same widths.
const FONT = 'Arial, Helvetica, sans-serif';
const MM_PER_INCH = 25.4;
const PX_PER_INCH = 96;
const DOTS_PER_INCH = 300;
/** The share of the height in the width of a plot, by width. */
const RATIO: Readonly<Record<MmWidth, number>> = { 85: 0.9, 180: 0.62 };
const MARGIN = 4;
const TITLE = { size: 12, weight: 600, line: 16 };
const LEGEND = { size: 11, weight: 400, line: 16 };
const CAPTION = { size: 9.5, weight: 400, line: 13 };
const SWATCH = 16;
const ITEM_GAP = 12;
const INK = '#1a1c1f';

const COPIED = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-opacity',
  'stroke-linecap',
  'stroke-dasharray',
  'font-size',
  'font-weight',
  'text-anchor',
];

/** Saves a figure as SVG, or as PNG with 300 dots per inch. Throws if the browser cannot draw it. */
export async function saveFigure(as: 'svg' | 'png', mm: MmWidth, figure: Printed): Promise<void> {
  const { text, height } = drawn(figure, mm);
  const svg = new Blob([text], { type: 'image/svg+xml' });
  saveBlob(`${fileName(figure.title)}.${as}`, as === 'svg' ? svg : await pngOf(svg, mm, height));
}

/** Saves the data of a plot as CSV. */
export function saveData(title: string, { heads, rows }: FigureData): void {
  saveCsv(`${fileName(title)}.csv`, heads, rows);
}

/** Draws a figure in light colors with its title, legend, and caption. The text needs no style sheet and no other file. */
function drawn({ title, print, legend, caption }: Printed, mm: MmWidth): { text: string; height: number } {
  const width = (mm / MM_PER_INCH) * PX_PER_INCH;
  const host = document.createElement('div');
  host.className = 'print-figure';
  host.inert = true;
  document.body.append(host);
  try {
    const size = { width: Math.floor(width), height: Math.round(width * RATIO[mm]) };
    render([print(size), legend], host);
    const plot = host.querySelector<SVGSVGElement>('svg.plot');
    if (!plot) throw new Error('The figure has no plot.');
    const parts: Element[] = [];
    let y = 0;
    const addText = (text: string, { size: fontSize, weight, line }: typeof TITLE): void => {
      for (const words of wrapped(text, width - 2 * MARGIN, fontSize, weight)) {
        y += line;
        parts.push(textOf(words, MARGIN, y - line / 4, fontSize, weight));
      }
    };
    addText(title, TITLE);
    parts.push(moved(styled(plot), 0, y + 4));
    y += 4 + plot.viewBox.baseVal.height + 4;
    let x = MARGIN;
    for (const item of host.querySelectorAll('.legend li')) {
      const words = item.textContent.trim();
      const itemWidth = SWATCH + 5 + textWidth(words, LEGEND.size, LEGEND.weight);
      if (x > MARGIN && x + itemWidth > width - MARGIN) {
        x = MARGIN;
        y += LEGEND.line;
      }
      parts.push(...swatchOf(item, x, y), textOf(words, x + SWATCH + 5, y + 12, LEGEND.size, LEGEND.weight));
      x += itemWidth + ITEM_GAP;
    }
    y += LEGEND.line + 4;
    for (const paragraph of caption) addText(paragraph, CAPTION);
    const height = Math.ceil(y + 6);
    const paper = made('rect', { width: '100%', height: '100%', fill: '#ffffff' });
    const root = made('svg', {
      width: `${mm}mm`,
      height: `${((height / PX_PER_INCH) * MM_PER_INCH).toFixed(2)}mm`,
      viewBox: `0 0 ${width.toFixed(2)} ${height}`,
      'font-family': FONT,
    });
    root.append(paper, ...parts);
    return { text: new XMLSerializer().serializeToString(root), height };
  } finally {
    render(null, host);
    host.remove();
  }
}

function made(name: string, attributes: Readonly<Record<string, string | number>>): SVGElement {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  return element;
}

function textOf(words: string, x: number, y: number, size: number, weight: number): Element {
  const text = made('text', { x: x.toFixed(1), y: y.toFixed(1), fill: INK, 'font-size': size, 'font-weight': weight });
  text.textContent = words;
  return text;
}

/** Returns the content of an SVG element, moved. */
function moved(svg: Element, x: number, y: number): Element {
  const group = made('g', { transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})` });
  group.append(...svg.childNodes);
  return group;
}

/** Draws the sign of a legend item: a mark, or a filled box. */
function swatchOf(item: Element, x: number, y: number): Element[] {
  const mark = item.querySelector('svg');
  if (mark) return [moved(styled(mark), x + 2, y + 2)];
  const box = item.querySelector('.swatch');
  if (!box) return [];
  const { backgroundColor, borderTopColor, backgroundImage } = getComputedStyle(box);
  const edge = { x, y: y + 2, width: SWATCH, height: LEGEND.size + 1, fill: backgroundColor, stroke: borderTopColor };
  const rect = made('rect', edge);
  if (backgroundImage === 'none') return [rect];
  // A hatched box. SVG has no repeating gradient.
  const hatch = made('path', { stroke: borderTopColor, 'stroke-width': 1.2, fill: 'none' });
  hatch.setAttribute('d', [4, 8, 12].map((step) => `M${x + step} ${y + 2}l-4 12`).join(''));
  return [made('rect', { ...edge, fill: 'none' }), hatch];
}

/** Copies an SVG element with its computed styles as attributes. */
function styled(svg: SVGSVGElement): Element {
  const copy = document.importNode(svg, true);
  const originals = svg.querySelectorAll('*');
  for (const [at, element] of copy.querySelectorAll('*').entries()) {
    const original = originals[at];
    if (!original) continue;
    const style = getComputedStyle(original);
    for (const name of COPIED) {
      const value = style.getPropertyValue(name);
      if (value !== '') element.setAttribute(name, value);
    }
    element.removeAttribute('class');
  }
  return copy;
}

const measure = document.createElement('canvas').getContext('2d');

function textWidth(text: string, size: number, weight: number): number {
  if (!measure) return text.length * size * 0.55;
  measure.font = `${weight} ${size}px ${FONT}`;
  return measure.measureText(text).width;
}

/** Wraps a text at spaces, and a word that is wider than a line at any character. */
function wrapped(text: string, width: number, size: number, weight: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  const fits = (words: string): boolean => textWidth(words, size, weight) <= width;
  for (const word of text.split(' ')) {
    if (fits(line === '' ? word : `${line} ${word}`)) {
      line = line === '' ? word : `${line} ${word}`;
      continue;
    }
    if (line !== '') lines.push(line);
    line = '';
    for (const character of word) {
      if (!fits(line + character)) {
        lines.push(line);
        line = '';
      }
      line += character;
    }
  }
  return line === '' ? lines : [...lines, line];
}

async function pngOf(svg: Blob, mm: MmWidth, height: number): Promise<Blob> {
  const address = URL.createObjectURL(svg);
  try {
    const image = new Image();
    image.src = address;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = Math.round((mm / MM_PER_INCH) * DOTS_PER_INCH);
    canvas.height = Math.round((height / PX_PER_INCH) * DOTS_PER_INCH);
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((resolve) => {
      canvas.toBlob(resolve, 'image/png');
    });
    return blob ? withResolution(blob) : fail();
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** The chunk pHYs of a PNG with its checksum: 11,811 dots per meter in both directions, which is 300 per inch. */
const RESOLUTION = new Uint8Array([
  ...[0, 0, 0, 9, 0x70, 0x48, 0x59, 0x73, 0, 0, 0x2e, 0x23, 0, 0, 0x2e, 0x23, 1],
  ...[0x78, 0xa5, 0x3f, 0x76],
]);
/** The length of the signature and of the chunk IHDR, after which pHYs may stand. */
const HEADER = 33;

function withResolution(png: Blob): Blob {
  return new Blob([png.slice(0, HEADER), RESOLUTION, png.slice(HEADER)], { type: 'image/png' });
}

function fail(): never {
  throw new Error('The browser cannot draw the figure.');
}

function fileName(title: string): string {
  return title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}
