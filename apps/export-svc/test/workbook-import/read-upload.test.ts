import { once } from 'node:events';
import { createServer, type IncomingMessage, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { readUpload } from '../../src/workbook-import/read-upload.ts';

test.each(['by its connection', 'by the signal of its call'])(
  'an upload ends if its client disconnects before it is read, as reported %s',
  async (how) => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const headers = { 'content-type': 'multipart/form-data; boundary=b', 'content-length': 1_000 };
    const client = request({ port, host: '127.0.0.1', method: 'POST', headers }).on('error', () => undefined);
    client.flushHeaders();
    const [upload] = (await once(server, 'request')) as [IncomingMessage];
    const gone = new Promise((resolve) => upload.once('close', resolve));
    const path = join(tmpdir(), 'esd-never-written');
    if (how === 'by its connection') {
      client.destroy();
      await gone;
      const read = readUpload(upload, path, new AbortController().signal);
      await expect(read).rejects.toMatchObject({ code: 'INVALID_REQUEST' });
    } else {
      await expect(readUpload(upload, path, AbortSignal.abort(new Error('gone')))).rejects.toThrow('gone');
      client.destroy();
    }
    server.close();
  },
);
