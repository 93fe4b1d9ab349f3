/* Shows the document that stands beside the page. */
globalThis.SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  /* No document is ever sent to a validator elsewhere. */
  validatorUrl: null,
});
