/** Parses a response of dataset-svc, which writes it as a value of the same type of `libs/api` or `libs/pages`. */
// oxlint-disable-next-line typescript/no-unnecessary-type-parameters -- the compiler checks in dataset-svc that it writes this type
export function parseJson<Response>(json: Uint8Array): Response {
  return JSON.parse(Buffer.from(json).toString()) as Response;
}
