import { createHash } from 'node:crypto';
import type { Request, Response } from 'express';

/** A small HTML page. `body` and `script` are written as they are: they hold no text from elsewhere. */
export interface HtmlPage {
  title: string;
  body: string;
  /** The one script of the page. */
  script?: string;
}

const STYLE = `:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 40em; margin: 3em auto; padding: 0 1em; color: light-dark(#1a1c1f, #e9e7e1); background: light-dark(#fdfcf9, #15171a); }
a { color: light-dark(#0b4f86, #8fc0f0); }
pre { overflow-x: auto; padding: 0.75em; background: light-dark(#f5f3ed, #1d2023); }
label, input, button { display: block; font: inherit; margin: 0.5em 0; }
input { width: 100%; box-sizing: border-box; padding: 0.4em; }
button { padding: 0.4em 1em; }`;

/** Whether a request asks for HTML rather than JSON: true only where `Accept` prefers it. */
export function prefersHtml(request: Request): boolean {
  return request.accepts(['json', 'html']) === 'html';
}

/** Answers with a page that a link in an e-mail opens: there may be a token in its address, so that it is not stored and not sent to other sites as a referrer. */
export function sendPage(response: Response, status: number, page: HtmlPage): void {
  response.status(status).set({ 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' });
  response.set(pageHeaders(page)).type('html').send(pageHtml(page));
}

/** The headers of a page: it loads nothing, runs no script but its own, and no other site may embed it. */
export function pageHeaders({ script }: HtmlPage): Record<string, string> {
  const policy = [
    "default-src 'none'",
    `style-src '${sourceHash(STYLE)}'`,
    ...(script === undefined ? [] : [`script-src '${sourceHash(script)}'`, "connect-src 'self'"]),
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return { 'Content-Security-Policy': policy.join('; '), 'Cross-Origin-Resource-Policy': 'same-origin' };
}

/** The whole text of a page. */
export function pageHtml({ title, body, script }: HtmlPage): string {
  return `<!doctype html>
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
`;
}

function sourceHash(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`;
}
