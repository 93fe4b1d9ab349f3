/* Shows the OpenAPI document of the service. */
globalThis.SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#docs',
  deepLinking: true,
  /* The document is never sent to an external validator. */
  validatorUrl: null,
});
