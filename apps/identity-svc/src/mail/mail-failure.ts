/**
 * `unreachable`: the failure is independent of this mail. `refused`: the server may accept the mail later.
 * `unknown-recipient`: the server will never accept it.
 */
export type MailFailure = 'unreachable' | 'refused' | 'unknown-recipient';

/** Classifies the error of a transport by its SMTP reply (RFC 5321 §4.2.1). */
export function mailFailure(error: unknown): MailFailure {
  if (!Error.isError(error)) return 'unreachable';
  const command = 'command' in error && typeof error.command === 'string' ? error.command : '';
  const reply = 'responseCode' in error && typeof error.responseCode === 'number' ? error.responseCode : undefined;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : '';
  // EENVELOPE without a reply: the server does not support SMTPUTF8, which this address requires.
  if (reply === undefined) return code === 'EENVELOPE' || code === 'EMESSAGE' ? 'refused' : 'unreachable';
  // 421: the server closes the connection.
  if (reply === 421 || !/^(MAIL FROM|RCPT TO|DATA)/.test(command)) return 'unreachable';
  return reply >= 500 && command.startsWith('RCPT TO') ? 'unknown-recipient' : 'refused';
}
