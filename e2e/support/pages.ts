/** The pages that everyone can read, except those of experiments and the API. Add a new page here. */
export const PLAIN_PAGES = [
  ...[
    '/',
    '/releases',
    '/contributors',
    '/release/v1.0.0',
    '/release/latest',
    '/about',
    '/privacy',
    '/data-dictionary',
  ],
  ...['/paper/10.3390%2Fnano10061221', '/docs', '/status'],
] as const;
