import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { leaseStack } from '@esd/testing/leased-stack';
import { recordAt, anonymousSubmitter } from '@esd/testing/records';
import { inBrowser } from '../browser.ts';
import { newAdmin } from '../support/admin.ts';
import { apiAt } from '../support/api.ts';
import { submitRecords, untilPublic } from '../support/dataset.ts';
import { eventually } from '@esd/testing/eventually';
import { page as pageShape } from '../support/shapes.ts';
import { whileAway } from '../support/while-away.ts';

const stack = await leaseStack('moderated');
afterAll(() => stack.stop());
const api = apiAt(stack.url);

// Polymers that few other tests use. The tests query the counts.
const POLYMERS = ['PEO', 'PLGA'] as const;
const counts = new Map<string, number>();
beforeAll(async () => {
  const { token } = await newAdmin(stack, api);
  const experimentData = POLYMERS.flatMap((polymer, at) => [recordAt(10 + at, polymer), recordAt(20 + at, polymer)]);
  const ids = await submitRecords(api, { userMetadata: anonymousSubmitter, experimentData });
  for (const id of ids) await api.post(`/moderation/records/${id}/approve`, {}, { bearer: token });
  await untilPublic(api, ids);
  for (const polymer of POLYMERS) {
    const filter = encodeURIComponent(JSON.stringify({ polymer: `=${polymer}` }));
    counts.set(polymer, pageShape.parse((await api.get(`/public/dataset?limit=1&filter=${filter}`)).json).total);
  }
});

inBrowser(stack.url, '/explore while the service restarts', (open) => {
  const headingOf = (polymer: string) => new RegExp(`^${counts.get(polymer) ?? 0} experiments?$`);

  test('shows the last selection after the dataset service has restarted', async () => {
    const { page, context } = await open('/explore');
    const choice = page.getByRole('link', { name: /\(PEO\).* \d+$/ });
    await choice.waitFor();
    await whileAway(stack, 'gone', ['dataset-svc'], async () => {
      await choice.click();
      await page.getByText('The service is busy.').first().waitFor();
      expect(new URL(page.url()).searchParams.get('polymer')).toBe('=PEO');
    });
    const again = page.getByRole('button', { name: 'Try again' });
    await eventually(
      async () => {
        // The page retries three times, then it shows a button.
        if (await again.isVisible()) await again.click();
        return page.getByRole('heading', { level: 1, name: headingOf('PEO') }).isVisible();
      },
      (isShown) => isShown,
    );
    await context.close();
  });

  test('waits for a gateway that is down, and resumes automatically', async () => {
    const { page, context } = await open('/explore');
    const choice = page.getByRole('link', { name: /\(PLGA\).* \d+$/ });
    await choice.waitFor();
    await whileAway(stack, 'gone', ['gateway'], async () => {
      await choice.click();
      await page.getByText(/^You are offline\./).waitFor();
    });
    await page.getByRole('heading', { level: 1, name: headingOf('PLGA') }).waitFor();
    await page.getByText(/^You are offline\./).waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.get('polymer')).toBe('=PLGA');
    await context.close();
  });
});
