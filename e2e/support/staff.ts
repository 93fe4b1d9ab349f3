import type { TestStack } from '@esd/testing/stack';
import type { Page } from 'playwright-core';
import { addAccount } from './accounts.ts';
import { type Credentials, newAdmin } from './admin.ts';
import type { Api } from './api.ts';
import { newAddress } from './new-address.ts';

/** An administrator and a moderator that only this test file uses. */
export async function newStaff(
  stack: TestStack,
  api: Api,
): Promise<{ admin: Credentials; moderator: Credentials; token: string }> {
  const { who: admin, token } = await newAdmin(stack, api);
  const { who: moderator } = await addAccount(stack, admin, newAddress('moderator'), 'MODERATOR');
  return { admin, moderator, token };
}

/** Fills in the sign-in form that a page shows to visitors. */
export async function signInOn(page: Page, { email, password }: Credentials): Promise<void> {
  await page.getByLabel('Email').fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}
