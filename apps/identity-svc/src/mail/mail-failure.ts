/**
 * What a failed attempt means. `away`: the server could not be reached or would not talk to us, which says nothing of
 * this mail. `refused`: it does not take this mail for now. `unknown-recipient`: it never will.
 */
export type MailFailure = 'away' | 'refused' | 'unknown-recipient';

/** Finds what failed from the error of a transport, by the SMTP reply that it carries (RFC 5321 §4.2.1). */
export function mailFailure(error: unknown): MailFailure {
  if (!Error.isError(error)) return 'away';
  const command = 'command' in error && typeof error.command === 'string' ? error.command : '';
  const reply = 'responseCode' in error && typeof error.responseCode === 'number' ? error.responseCode : undefined;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  // An address that this server cannot take (EENVELOPE without a reply: no SMTPUTF8) is tried again as one it refused.
  if (reply === undefined) return code === 'EENVELOPE' || code === 'EMESSAGE' ? 'refused' : 'away';
  // 421: the service closes the connection.
  if (reply === 421 || !/^(MAIL FROM|RCPT TO|DATA)/.test(command)) return 'away';
  return reply >= 500 && command.startsWith('RCPT TO') ? 'unknown-recipient' : 'refused';
}
