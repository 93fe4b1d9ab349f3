globalThis.SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  /* The document is never sent to an external validator. */
  validatorUrl: null,
});
