const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** Whether a text has the form of an image id. */
export function isImageId(text: string): boolean {
  return UUID.test(text);
}
