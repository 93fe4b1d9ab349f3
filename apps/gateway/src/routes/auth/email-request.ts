import type { forgotPassword } from '@esd/api/accounts';
import type { BodyOf, Operation } from '@esd/api/operation';
import type { Call } from '../../http/call.ts';
import type { Route } from '../../http/route.ts';
import { serve } from '../../http/serve.ts';
import { sendSuccess } from '../../schemas/success.ts';

type EmailOperation = Omit<typeof forgotPassword, 'path' | 'describe'> & Pick<Operation, 'path' | 'describe'>;

/**
 * Returns the route of an operation that sends an email to the given address if it needs one. `message` must not reveal whether an
 * account has the address.
 */
export function emailRequest(
  declared: EmailOperation,
  message: string,
  send: (body: BodyOf<typeof forgotPassword>, call: Call) => Promise<unknown>,
): Route {
  return serve(declared, {
    handle: async ({ body, call }, response) => {
      await send(body, call);
      sendSuccess(response, message);
    },
  });
}
