import { saveBlob } from '../client/save-file.ts';

/** Saves a plot with its current colors, as an SVG or as a PNG at twice the size. */

const COPIED = [
  'fill',
  'fill-opacity',
  'stroke',
  'stroke-width',
  'stroke-opacity',
  'stroke-linecap',
  'font-family',
  'font-size',
  'font-weight',
  'text-anchor',
  'display',
];
const SVG = 'http://www.w3.org/2000/svg';
const CAPTION = 44;
const SCALE = 2;

export function saveSvg(plot: SVGSVGElement, title: string, caption: string): void {
  saveBlob(`${fileName(title)}.svg`, new Blob([textOf(plot, title, caption)], { type: 'image/svg+xml' }));
}

export async function savePng(plot: SVGSVGElement, title: string, caption: string): Promise<void> {
  const image = new Image();
  const address = URL.createObjectURL(new Blob([textOf(plot, title, caption)], { type: 'image/svg+xml' }));
  try {
    image.src = address;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = image.naturalWidth * SCALE;
    canvas.height = image.naturalHeight * SCALE;
    canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
    const blob = await new Promise<Blob | null>((resolve) => {
      canvas.toBlob(resolve, 'image/png');
    });
    if (blob) saveBlob(`${fileName(title)}.png`, blob);
  } finally {
    URL.revokeObjectURL(address);
  }
}

function textOf(plot: SVGSVGElement, title: string, caption: string): string {
  const copy = document.createElementNS(SVG, 'svg');
  const { width, height } = plot.viewBox.baseVal;
  const whole = height + CAPTION + 22;
  for (const [name, value] of Object.entries({ xmlns: SVG, width, height: whole, viewBox: `0 0 ${width} ${whole}` })) {
    copy.setAttribute(name, String(value));
  }
  const { backgroundColor, color, fontFamily } = getComputedStyle(document.body);
  const paper = document.createElementNS(SVG, 'rect');
  for (const [name, value] of Object.entries({ width, height: whole, fill: backgroundColor })) {
    paper.setAttribute(name, String(value));
  }
  copy.append(
    paper,
    text(title, 15, 13, 600),
    ...lines(caption, width).map((line, at) => text(line, height + 38 + 14 * at, 11, 400)),
  );
  const inner = styled(plot);
  inner.setAttribute('y', '22');
  inner.setAttribute('width', String(width));
  inner.setAttribute('height', String(height));
  copy.append(inner);
  return new XMLSerializer().serializeToString(copy);

  function text(words: string, y: number, size: number, weight: number): SVGTextElement {
    const made = document.createElementNS(SVG, 'text');
    const values = { x: 4, y, fill: color, 'font-family': fontFamily, 'font-size': size, 'font-weight': weight };
    for (const [name, value] of Object.entries(values)) made.setAttribute(name, String(value));
    made.textContent = words;
    return made;
  }
}

/** Copies a plot with its computed styles as attributes, so that it needs no style sheet. */
function styled(plot: SVGSVGElement): Element {
  const copy = document.importNode(plot, true);
  const originals = plot.querySelectorAll('*');
  for (const [at, element] of copy.querySelectorAll('*').entries()) {
    const original = originals[at];
    if (!original) continue;
    const style = getComputedStyle(original);
    for (const name of COPIED) {
      const value = style.getPropertyValue(name);
      if (value !== '' && !(name === 'display' && original.classList.contains('on-canvas')))
        element.setAttribute(name, value);
    }
    element.removeAttribute('class');
  }
  copy.removeAttribute('class');
  return copy;
}

/** Wraps a text to at most three lines, at about six pixels per character. */
function lines(caption: string, width: number): string[] {
  const found: string[] = [''];
  for (const word of caption.split(' ')) {
    const last = found.at(-1) ?? '';
    if ((last.length + word.length + 1) * 5.6 > width && last !== '') found.push(word);
    else found[found.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return found.slice(0, 3);
}

function fileName(title: string): string {
  return title.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
}
