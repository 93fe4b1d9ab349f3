/** The smallest PNG: one transparent pixel. */
export const PNG = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=',
  'base64',
);

/** Feedback as the interface takes it, with an image: the first one sent to a stack makes the example of its id 1 work. */
export const feedbackWithImage = {
  name: 'Ada Example',
  category: 'data',
  subject: 'A unit',
  message: 'Is the voltage of record 7 in kV?',
  imageBase64: PNG.toString('base64'),
};
