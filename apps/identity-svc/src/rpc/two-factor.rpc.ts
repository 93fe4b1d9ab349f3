import { TwoFactorServiceService } from '@esd/proto/esd/identity/v1/two_factor';
import { requireSession } from '@esd/service/auth/require-caller';
import { type RpcService, rpcService } from '@esd/service/rpc/rpc-server';
import {
  beginTwoFactor,
  getTwoFactor,
  turnOffTwoFactor,
  turnOnTwoFactor,
  type TwoFactorParts,
} from '../two-factor/two-factor.ts';

export function twoFactorRpc(parts: TwoFactorParts): RpcService {
  return rpcService(TwoFactorServiceService, {
    getTwoFactor: (_request, context) => getTwoFactor(parts, requireSession(context)),
    beginTwoFactor: ({ password }, context) => beginTwoFactor(parts, requireSession(context), password, context),
    confirmTwoFactor: async ({ otp }, context) => ({
      recoveryCodes: await turnOnTwoFactor(parts, requireSession(context), otp, context),
    }),
    disableTwoFactor: async (request, context) => {
      await turnOffTwoFactor(parts, requireSession(context), request, context);
      return {};
    },
  });
}
