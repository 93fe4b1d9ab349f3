import { success } from '@esd/api/success';
import { shortText } from '@esd/api/short-text';
import { z } from 'zod';
import { jsonBody } from '../../http/body/json-body.ts';
import type { Call } from '../../http/call.ts';
import { route, type Route } from '../../http/route.ts';
import { sendSuccess } from '../../schemas/success.ts';
import { SAME_ANSWER } from '@esd/api/accounts';

const emailBody = z.strictObject({ email: shortText });

interface EmailRequest {
  path: string;
  summary: string;
  /** Sends the email if the address needs one. */
  send: (body: z.output<typeof emailBody>, call: Call) => Promise<unknown>;
  /** The confirmation. It must not reveal whether an account has the address. */
  message: string;
}

/** Returns a POST route that sends an email to the given address if it needs one. */
export function emailRequest({ path, summary, send, message }: EmailRequest): Route {
  return route({
    method: 'post',
    path,
    caller: 'ignored',
    limit: 'accounts',
    describe: {
      tag: 'Accounts',
      summary,
      details: SAME_ANSWER,
      returns: 'A confirmation that an email is sent if one is needed.',
      example: { body: { email: 'grace@example.org' } },
    },
    body: jsonBody(emailBody),
    answer: success,
    handle: async ({ body, call }, response) => {
      await send(body, call);
      sendSuccess(response, message);
    },
  });
}
