import { createHash } from 'node:crypto';
import type { Response } from 'express';

/** A small page for people who follow a link of a mail. Its parts are HTML as it is. */
export interface PeoplePage {
  title: string;
  body: string;
  /** Runs when the page is there; nothing else does. */
  script?: string;
}

const STYLE = `body { font: 16px/1.5 sans-serif; max-width: 32em; margin: 3em auto; padding: 0 1em; color: #222; background: #fff; }
label, input, button { display: block; font: inherit; margin: 0.5em 0; }
input { width: 100%; box-sizing: border-box; padding: 0.4em; }
button { padding: 0.4em 1em; }`;

/** Answers with a page that loads nothing, tells nobody its address (there may be a token in it) and is not kept. */
export function sendPage(response: Response, status: number, { title, body, script }: PeoplePage): void {
  const policy = [
    "default-src 'none'",
    `style-src '${sourceHash(STYLE)}'`,
    ...(script === undefined ? [] : [`script-src '${sourceHash(script)}'`, "connect-src 'self'"]),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  response
    .status(status)
    .set({
      'Cache-Control': 'no-store',
      'Content-Security-Policy': policy.join('; '),
      'Referrer-Policy': 'no-referrer',
    })
    .type('html').send(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<style>${STYLE}</style>
</head>
<body>
<h1>${title}</h1>
${body}
${script === undefined ? '' : `<script>${script}</script>\n`}</body>
</html>
`);
}

function sourceHash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}

/** Text that can stand in HTML. */
export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}
