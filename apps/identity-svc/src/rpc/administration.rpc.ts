import type { Kysely } from 'kysely';
import { AdministrationServiceService, type AuditRecord } from '@esd/proto/esd/identity/v1/administration';
import { ServiceError } from '@esd/service/errors';
import { requireRole, requireSession } from '@esd/service/auth/require-caller';
import { type CallContext, type RpcService, rpcService } from '@esd/service/rpc/rpc-server';
import { setAccountEnabled, setAccountRole } from '../admin/change-account.ts';
import { listAccounts } from '../admin/list-accounts.ts';
import { type AuditRow, listAudit } from '../audit/list-audit.ts';
import type { IdentityTables } from '../tables.ts';
import { roleFromWire } from '@esd/proto/account-role';
import { toAccount } from './account-message.ts';

export function administrationRpc(database: Kysely<IdentityTables>): RpcService {
  return rpcService(AdministrationServiceService, {
    listAccounts: async ({ role, ...query }, context) => {
      requireRole(context, 'ADMIN');
      const { accounts, total } = await listAccounts(database, { ...query, role: roleFromWire(role) });
      return { accounts: accounts.map(toAccount), total };
    },
    setAccountRole: async ({ accountId, role }, context) => {
      const caller = requireAdminSession(context);
      const wanted = roleFromWire(role);
      if (!wanted) throw new ServiceError('INVALID_REQUEST', '`role` must be USER, MODERATOR or ADMIN.');
      return { account: toAccount(await setAccountRole(database, caller, accountId, wanted, context)) };
    },
    setAccountEnabled: async ({ accountId, enabled }, context) => {
      const caller = requireAdminSession(context);
      return { account: toAccount(await setAccountEnabled(database, caller, accountId, enabled, context)) };
    },
    listAudit: async (query, context) => {
      requireRole(context, 'ADMIN');
      const { records, total } = await listAudit(database, query);
      return { records: records.map(toAuditRecord), total };
    },
  });
}

function requireAdminSession(context: CallContext) {
  requireRole(context, 'ADMIN');
  return requireSession(context);
}

function toAuditRecord({ actor, subject, clientIp, ...row }: AuditRow): AuditRecord {
  return {
    ...row,
    actor: actor ?? undefined,
    subject: subject ?? undefined,
    clientIp: clientIp ?? undefined,
  };
}
