/** Returns the visible text of a page. */
export function visibleText(html: string): string {
  return html
    .replaceAll(/<(script|head)[^]*?<\/\1>/g, '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&amp;', '&')
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll(/[ \n]+/g, ' ')
    .replaceAll(/ (?=[.,;:)])/g, '');
}
