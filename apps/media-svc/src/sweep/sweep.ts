import { tryWithLock } from '@esd/background/advisory-lock';
import type { ObjectStore } from '@esd/object-store/object-store';
import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';
import { type FindUses, type SweptImages, sweepImages } from './sweep-images.ts';
import { type SweptObjects, sweepObjects } from './sweep-objects.ts';

export type SweepReport = SweptImages & SweptObjects;

export interface SweepDependencies {
  database: Kysely<Tables>;
  objects: ObjectStore;
  findUses: FindUses;
}

const LOCK = 'sweep of images';

/** Sweeps images, then objects; returns undefined while another replica sweeps. Changes before an error persist. */
export async function sweep({ database, objects, findUses }: SweepDependencies): Promise<SweepReport | undefined> {
  return await tryWithLock(database, LOCK, async () => ({
    ...(await sweepImages(database, findUses)),
    ...(await sweepObjects(database, objects)),
  }));
}
