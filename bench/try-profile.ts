import { startStack } from '@esd/testing/stack';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDataset } from './fill-dataset.ts';
import { processorTime } from './process-cost.ts';
import { loadavg } from 'node:os';
const rates = (process.argv[2] ?? '100,200,400,800').split(',').map(Number);
const prof = process.argv[3];
const stack = await startStack({ empty: true, env: prof ? { ESD_TRY_PROF: prof } : {} });
try {
  const dataset = await openDataset(stack.databaseUrl('esd_dataset'), 1);
  await dataset.growTo(dataset.demo.length);
  await dataset.close();
  const u = new URL(stack.url);
  const senders = [0,1].map(() => fork('open-loop-sender.ts', { serialization: 'advanced' }));
  let seed = 1;
  for (const rate of [100, 100, ...rates]) {
    const before = await processorTime(stack);
    const s = 8;
    const reports = await Promise.all(senders.map(async (c) => { c.send({host: '127.0.0.1', port: Number(u.port), rate: rate/2, seconds: s, giveUpMs: 2000, seed: seed++}); return (await once(c, 'message'))[0]; }));
    const after = await processorTime(stack);
    const all = reports.flatMap((r: any) => r.results);
    const ok = all.filter((r: any) => r.status === 200);
    const t = ok.map((r: any) => r.ms).sort((a: number, b: number) => a - b);
    console.log(rate, 'ok/s', ok.length / s, 'gaveup', all.filter((r: any) => r.failure === 'gave up').length, '503', all.filter((r:any)=>r.status===503).length, 'other', all.filter((r:any)=>r.status!==200&&r.status!==503&&r.failure!=='gave up').length, 'p50', t[t.length>>1]?.toFixed(1), 'p99', t[Math.floor(t.length*.99)]?.toFixed(1), 'cpu ms/req', Object.fromEntries([...after].map(([n, v]) => [n, ((v - (before.get(n) ?? 0)) / all.length).toFixed(2)])), 'gen', reports.map((r:any)=>(r.cpuSeconds/s).toFixed(2)).join(), 'load', loadavg()[0]);
    await sleep(2000);
  }
  for (const s of senders) s.kill();
  if (prof) { for (const n of ['gateway','dataset-svc']) stack.signal(n, 'SIGTERM'); await sleep(6000); }
} finally { await stack.stop(); }
