const ACTIONS: Readonly<Record<string, string>> = {
  submit: 'sent',
  update: 'changed',
  approve: 'approved',
  reject: 'rejected',
  withdraw: 'withdrawn',
  restore: 'queued again after its withdrawal',
  reopen: 'queued again',
  delete_account: 'its owner deleted the account',
  erase: 'erased',
  erase_submitter: 'its sender erased',
};

/** What an entry in the history of a record says was done. */
export function actionText(action: string): string {
  return ACTIONS[action] ?? action;
}
