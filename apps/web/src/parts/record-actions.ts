const ACTIONS: Readonly<Record<string, string>> = {
  submit: 'submitted',
  update: 'changed',
  approve: 'approved',
  reject: 'rejected',
  withdraw: 'withdrawn',
  restore: 'restored to the review queue',
  reopen: 'returned to the review queue',
  delete_account: 'account of the owner deleted',
  erase: 'content erased',
  erase_submitter: 'personal data of the submitter erased',
};

export function actionText(action: string): string {
  return ACTIONS[action] ?? action;
}
