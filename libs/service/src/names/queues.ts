/** The fair queues of all services, each with the plural name of its work for messages. */
export const QUEUES = {
  'answer-parts': 'parts of answers',
  exports: 'exports',
  feedback: 'feedback messages',
  images: 'images',
  'large-images': 'large images',
  'large-submissions': 'large submissions',
  sheets: 'files',
  'submission-checks': 'submissions',
  'submission-writes': 'submissions',
} as const;

export type QueueName = keyof typeof QUEUES;
