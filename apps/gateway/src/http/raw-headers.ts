import type { ServerResponse } from 'node:http';

/** Headers as `writeHead` takes them: name, value, name, value, … */
export type RawHeaders = readonly string[];

export function setHeaders(response: ServerResponse, headers: RawHeaders): void {
  for (let index = 0; index + 1 < headers.length; index += 2) {
    response.setHeader(headers[index] ?? '', headers[index + 1] ?? '');
  }
}
