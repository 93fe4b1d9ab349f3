import { z } from 'zod';
import { route, type Route } from '../route.ts';
import { success } from '../success.ts';
import type { Upstream } from '../upstream.ts';
import { submissionIdText } from './own-data.ts';

/** Submissions as far as administrators change them. */
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
        summary: 'Erase who sent a submission',
        details:
          'Needs the role ADMIN. Name, address and all else that userMetadata said go for good, from the moderators’ view and from the list of contributors; the records stay, and their history tells that it was erased, when and by whom. Other submissions of the same person are not touched. Doing it again changes nothing.',
        returns: 'That it is erased.',
        errors: ['FORBIDDEN', 'SUBMISSION_NOT_FOUND'],
        example: { parameters: { id: 1 } },
      },
      parameters: z.object({ id: submissionIdText }),
      answer: success,
      handle: async ({ parameters: { id }, call }, response) => {
        const { erased } = await moderation.eraseSubmitter({ submissionId: id }, call);
        const message = erased
          ? `Who sent submission ${id} is erased.`
          : `Nothing was left of who sent submission ${id}.`;
        response.set('Cache-Control', 'no-store').json({ success: true, message });
      },
    }),
  ];
}
