import { jetstream } from '@nats-io/jetstream';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { startStack, type TestStack } from '@esd/testing/stack';
import { type Api, apiAt } from '../support/api.ts';
import { createAdmin } from '../support/admin.ts';
import { query } from '../support/database.ts';
import { submitRecords } from '../support/dataset.ts';
import { expectError } from '../support/errors.ts';
import { connectNats, openEventStream, recordApproved } from '../support/events.ts';
import { eventually } from '@esd/testing/eventually';
import { greyPng, imageForm, uploadImage } from '../support/images.ts';
import { readMetric } from '../support/metrics.ts';
import { serviceCommand } from '../support/service-command.ts';
import { removeStoredObject, storedObjects } from '../support/stored-objects.ts';
import { smallRecord } from '@esd/testing/records';

const HOURS = 3_600_000;

const uploaded = z.looseObject({ imageId: z.uuid() });

let stack: TestStack;
let api: Api;
let token: string;
beforeAll(async () => {
  stack = await startStack({ empty: true });
  api = apiAt(stack.url);
  ({ token } = await createAdmin(api));
});
afterAll(() => stack.stop());

const media = () => stack.databaseUrl('esd_media');

describe('main.ts sweep of media-svc', () => {
  const sweep = () => serviceCommand(stack, 'media-svc', ['sweep'], { aheadMs: 2 * HOURS });
  const objectOf = async (imageId: string): Promise<string> => {
    const [row] = await query(media(), 'select folder from blob join image using (sha256) where id = $1', [imageId]);
    return `${String(row?.['folder'])}/full.png`;
  };

  test('deletes only unused objects and reports them', async () => {
    const [attached, fresh, old, orphan] = [
      await uploadImage(api),
      await uploadImage(api),
      await uploadImage(api),
      await uploadImage(api),
    ];
    await submitRecords(api, { experimentData: [{ ...smallRecord, fiberImages: [{ imageId: attached }] }] }, token);
    await query(media(), `update image set since = since - interval '8 days' where id = any($1)`, [[attached, old]]);
    const [oldObject, orphanObject] = [await objectOf(old), await objectOf(orphan)];
    await query(media(), 'delete from image where id = $1', [orphan]);
    await query(media(), 'delete from blob where folder = $1', [orphanObject.split('/', 1)[0]]);

    const { code, stdout, stderr } = await sweep();
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout.split('\n')).toEqual([
      '1 images deleted: unattached for 7 days',
      `  ${old}`,
      '0 images released: no record stored within 1 hour',
      '0 images reattached: contained in a record',
      '2 objects removed: without an image',
      ...[oldObject, orphanObject].sort().map((key) => `  ${key}`),
      '0 uploads to the store aborted: never finished',
      '0 objects MISSING in the store: upload the same images again, or restore the bucket',
      '',
    ]);
    expect(await storedObjects(stack, 'esd-images')).toEqual([await objectOf(attached), await objectOf(fresh)].sort());
    for (const [imageId, status] of [
      [attached, 200],
      [fresh, 200],
      [old, 404],
      [orphan, 404],
    ] as const) {
      expect([imageId, (await api.get(`/images/${imageId}/content`)).status]).toEqual([imageId, status]);
    }
  });

  test('reports a lost object; uploading the same image again restores it', async () => {
    const upload = async () => {
      const { body, headers } = imageForm(greyPng(200));
      return uploaded.parse((await api.post('/images/upload', body, { headers })).json);
    };
    const { imageId } = await upload();
    const lost = await objectOf(imageId);
    await removeStoredObject(stack, 'esd-images', lost);
    expect((await sweep()).stdout).toContain(`1 objects MISSING in the store`);
    expect((await sweep()).stdout).toContain(`\n  ${lost}\n`);
    expectError(await api.get(`/images/${imageId}/content`), 503, 'UNAVAILABLE');
    await upload();
    expect((await sweep()).stdout).toContain(`0 objects MISSING in the store`);
    expect((await api.get(`/images/${imageId}/content`)).status).toBe(200);
  });
});

describe('main.ts redrive', () => {
  /** Adds a message to the dead letters of a service, as its consumer does. */
  async function addDeadLetter(service: string, body: Uint8Array): Promise<void> {
    const connection = await connectNats(stack, service);
    await jetstream(connection).publish(`esd.dead.${service}-record-approved`, body);
    await connection.close();
  }

  /** Returns how many dead letters were processed, and how many failed again. */
  async function redrive(service: string): Promise<{ handled: number; failed: number }> {
    const { code, stdout, stderr } = await serviceCommand(stack, service, ['redrive']);
    expect([code, stderr]).toEqual([0, '']);
    const [, handled] = /"events":(\d+),"msg":"dead letters handled"/.exec(stdout) ?? [];
    return { handled: Number(handled), failed: stdout.match(/dead letter failed again/g)?.length ?? 0 };
  }

  test.each(['media-svc', 'dataset-svc'])(
    '%s: a dead letter that can be processed is processed once; the others remain',
    async (service) => {
      const id = service === 'media-svc' ? 1_000_001 : 1_000_002;
      const imageId = await uploadImage(api);
      const events = await openEventStream(stack);
      await events.publish(Buffer.from('no event at all'));
      await events.close();
      await eventually(
        () => readMetric(stack, service, 'esd_events_total', { result: 'dead' }),
        (dead) => dead > 0,
      );
      await addDeadLetter(service, recordApproved(id, 1, { fiberImages: [{ imageId }] }));
      const failed = service === 'media-svc' ? 1 : 2;
      expect(await redrive(service)).toEqual({ handled: 1, failed });
      expect(await redrive(service)).toEqual({ handled: 0, failed });
      if (service === 'media-svc') {
        const [image] = await query(media(), 'select record_id, published_at from image where id = $1', [imageId]);
        expect(image).toEqual({ record_id: id, published_at: expect.any(Date) });
      } else {
        const revisions = 'select record_revision from record_revision where record_id = $1';
        expect(await query(stack.databaseUrl('esd_dataset'), revisions, [id])).toEqual([{ record_revision: 1 }]);
      }
    },
  );
});
