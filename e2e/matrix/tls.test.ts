import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { z } from 'zod';
import { DatasetServiceService } from '@esd/proto/esd/dataset/v1/dataset';
import { rpcClient } from '@esd/service/rpc/rpc-client';
import { type CertificateFiles, makeCertificates } from '@esd/testing/certificates';
import { request } from '@esd/testing/http';
import { namedPeer } from '@esd/testing/peers';
import { startStack, type TestStack } from '@esd/testing/stack';
import { addAccount } from '../support/accounts.ts';
import { createAdmin, login } from '../support/admin.ts';
import { apiAt } from '../support/api.ts';
import { submitRecords, untilTotal } from '../support/dataset.ts';
import { download } from '../support/download.ts';
import { uploadImage } from '../support/images.ts';
import { smallRecord, smallSubmission } from '@esd/testing/records';
import { readZip } from '../support/zip.ts';

const ready = z.looseObject({ ready: z.literal(true) });

let folder: string;
let files: CertificateFiles;
let stack: TestStack;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'esd-tls-'));
  files = await makeCertificates(folder, 'ours');
  const env = { ESD_TLS_CERT_FILE: files.cert, ESD_TLS_KEY_FILE: files.key, ESD_TLS_CA_FILE: files.ca };
  stack = await startStack({ empty: true, env });
});
afterAll(async () => {
  await stack.stop();
  await rm(folder, { recursive: true, force: true });
});

test('with TLS between the processes, records are submitted, reviewed, read and exported with their images', async () => {
  const api = apiAt(stack.url);
  const { who, token } = await createAdmin(api);
  const contributor = await addAccount(stack, who, 'contributor@example.org');
  const owner = await login(api, contributor.who);
  const imageId = await uploadImage(api);
  const submission = { ...smallSubmission(), experimentData: [{ ...smallRecord, fiberImages: [{ imageId }] }] };
  const [recordId = 0] = await submitRecords(api, submission, owner);
  const approved = await api.post(`/moderation/records/${recordId}/approve`, {}, { bearer: token });
  expect(approved.status).toBe(200);
  await untilTotal(api, 1);
  expect((await api.get(`/images/${imageId}/content`)).status).toBe(200);
  const { bytes } = await download(`${stack.url}/public/dataset/export?format=zip`);
  const contents = await readZip(bytes);
  expect([...contents.keys()]).toContain(`images/${recordId}/${imageId}.png`);
});

test('every process accepts only TLS on both of its ports', async () => {
  const ca = await readFile(files.ca);
  for (const [name, { http = '', grpc }] of Object.entries(stack.addresses)) {
    if (!http) continue;
    expect([name, http]).toEqual([name, expect.stringMatching(/^https:/)]);
    const body = await new Promise<unknown>((resolve, reject) => {
      get(`${http}/ready`, { ca }, (response) => {
        void response.toArray().then((chunks) => resolve(JSON.parse(Buffer.concat(chunks).toString())), reject);
      }).on('error', reject);
    });
    ready.parse(body);
    await expect(request(`${http.replace('https:', 'http:')}/ready`)).rejects.toThrow();
    if (grpc === undefined) continue;
    const plain = rpcClient(DatasetServiceService, {
      service: 'dataset-svc',
      target: `ipv4:${grpc}`,
      serviceAssertions: namedPeer('gateway'),
    });
    const call = plain.getHead({ atLeast: undefined }, { requestId: 'plain' });
    await expect(call).rejects.toMatchObject({ code: 'UNAVAILABLE' });
    plain.channel.close();
  }
});
