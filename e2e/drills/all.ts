import type { Drill } from './drill.ts';
import { alerts } from './alerts.ts';
import { away } from './away.ts';
import { disks } from './disks.ts';
import { overload } from './overload.ts';
import { replace } from './replace.ts';
import { restore } from './restore.ts';
import { rot } from './rot.ts';
import { stream } from './stream.ts';
import { kills } from './kills.ts';

/** All drills, in the order in which `npm run drills` runs them. */
export const drills: readonly Drill[] = [kills, away, disks, replace, overload, rot, stream, alerts, restore];
