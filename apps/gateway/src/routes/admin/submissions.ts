import { z } from 'zod';
import { route, type Route } from '../../http/route.ts';
import { sendSuccess, success } from '../../schemas/success.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { submissionIdText } from '../data/my-records.ts';

export function adminSubmissionRoutes({ moderation }: Pick<Upstream, 'moderation'>): Route[] {
  return [
    route({
      method: 'delete',
      path: '/admin/submissions/:id/submitter',
      caller: 'required',
      role: 'ADMIN',
      targets: ['esd.submission.v1.ModerationService'],
      describe: {
        tag: 'Administration',
        summary: 'Erase the submitter of a submission',
        details:
          'Requires the role ADMIN. Permanently erases the name, the address and all other members of `userMetadata`. Moderators and the list of contributors no longer show them. The records remain, and their history shows when and by whom the submitter was erased. Other submissions of the same person remain unchanged. Repeating the call has no effect.',
        returns: 'A confirmation that the submitter is erased.',
        errors: ['FORBIDDEN', 'SUBMISSION_NOT_FOUND'],
        example: { parameters: { id: 1 } },
      },
      parameters: z.object({ id: submissionIdText }),
      answer: success,
      handle: async ({ parameters: { id }, call }, response) => {
        const { erased } = await moderation.eraseSubmitter({ submissionId: id }, call);
        const message = erased
          ? `The submitter of submission ${id} is erased.`
          : `The submitter of submission ${id} was already erased.`;
        sendSuccess(response, message);
      },
    }),
  ];
}
