import { browserProgram } from '@esd/testing/browser';
import { chromium, type Page } from 'playwright-core';
import { z } from 'zod';
import type { Bench } from './bench.ts';
import { type FirstAdmin, firstAdmin, post } from './first-admin.ts';
import { quantile } from './load.ts';
import type { Part } from './report.ts';
import { submission } from './submission.ts';
import { timesOf } from './times-of.ts';

const RECORDS = 1_000;
const RUNS = 20;
const WARM_UP = 3;

/** Opens the submission in the queue, and returns the time until its rows are painted, in milliseconds. */
const OPEN = `new Promise((resolve) => {
  const started = performance.now();
  const observer = new MutationObserver(() => {
    if (document.querySelectorAll('.records tbody tr').length !== ${RECORDS}) return;
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - started)));
  });
  observer.observe(document.body, { childList: true, subtree: true });
  document.querySelector('.queue li a').click();
})`;

/** Measures how long a moderator waits for the table of a submission: the response, and the page in a browser. */
export async function submissionTable({ stack: { url } }: Bench): Promise<Part> {
  const admin = await firstAdmin(url);
  const sent = await post(`${url}/data/submit`, submission(0, RECORDS), admin.token);
  const { submissionId } = z.looseObject({ submissionId: z.int() }).parse(sent);
  let bytes = 0;
  const read = async (): Promise<void> => {
    const answer = await fetch(`${url}/moderation/submissions/${submissionId}`, {
      headers: { authorization: `Bearer ${admin.token}` },
      signal: AbortSignal.timeout(60_000),
    });
    bytes = (await answer.arrayBuffer()).byteLength;
    if (answer.status !== 200) throw new Error(`the table of submission ${submissionId}: ${answer.status}`);
  };
  await timesOf(WARM_UP, 1, read);
  const responses = await timesOf(RUNS, 1, read);
  const pages = await inBrowser(url, admin);
  const steps = [
    { step: 'response', times: responses, atMost: 400 },
    { step: 'open in the browser', times: pages, atMost: 1_000 },
  ].filter(({ times }) => times.length > 0);
  return {
    title: `The table of a submission of ${RECORDS} records`,
    notes: [`Each step runs ${RUNS} times in sequence. The response has ${Math.round(bytes / 1024)} KB.`],
    rows: steps.map(({ step, times }) => ({ step, 'p50 ms': quantile(times, 0.5), 'p95 ms': quantile(times, 0.95) })),
    targets: steps.map(({ step, times, atMost }) => ({
      what: `table of a submission of ${RECORDS} records, ${step}, p95 ms`,
      measured: quantile(times, 0.95),
      atMost,
    })),
  };
}

/** Returns the sorted times of opening the table at /moderate; no times without a browser. */
async function inBrowser(url: string, { email, password }: FirstAdmin): Promise<number[]> {
  const executablePath = browserProgram();
  if (executablePath === undefined) return [];
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    // On a wide screen, the page would open the first submission itself.
    const page = await browser.newPage({ viewport: { width: 1_000, height: 800 } });
    await page.goto(`${url}/moderate`);
    await page.getByLabel('Email').fill(email);
    await page.getByLabel('Password', { exact: true }).fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    const times: number[] = [];
    for (let run = 0; run < WARM_UP + RUNS; run += 1) times.push(await openTable(page));
    return times.slice(WARM_UP).sort((a, b) => a - b);
  } finally {
    await browser.close();
  }
}

async function openTable(page: Page): Promise<number> {
  await page.locator('.queue li a').first().waitFor();
  const time = z.number().parse(await page.evaluate(OPEN));
  await page.keyboard.press('u');
  await page.locator('.records').waitFor({ state: 'detached' });
  return time;
}
