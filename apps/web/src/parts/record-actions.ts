const ACTIONS: Readonly<Record<string, string>> = {
  submit: 'submitted',
  update: 'changed',
  approve: 'approved',
  reject: 'rejected',
  withdraw: 'withdrawn',
  restore: 'returned to the review queue after the withdrawal',
  reopen: 'returned to the review queue',
  delete_account: 'owner account deleted',
  erase: 'erased',
  erase_submitter: 'submitter erased',
};

export function actionText(action: string): string {
  return ACTIONS[action] ?? action;
}
