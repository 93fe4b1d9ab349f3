/** The smallest PNG: one transparent pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=',
  'base64',
);

/** Feedback with an image. The first feedback of a stack has the id 1, which the examples use. */
export const feedbackWithImage = {
  name: 'Ada Example',
  category: 'data',
  subject: 'A unit',
  message: 'Is the voltage of record 7 in kV?',
  imageBase64: PNG.toString('base64'),
};
