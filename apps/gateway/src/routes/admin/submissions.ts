import { eraseSubmitter } from '@esd/api/administration';
import type { Route } from '../../http/route.ts';
import { sendSuccess } from '../../schemas/success.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { serve } from '../../http/serve.ts';

export function adminSubmissionRoutes({ moderation }: Pick<Upstream, 'moderation'>): Route[] {
  return [
    serve(eraseSubmitter, {
      targets: ['esd.submission.v1.ModerationService'],
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
