import { createReadStream } from 'node:fs';
import { ServiceError } from '@esd/service/errors';

/** Encoders write about ten scans. libjpeg processes the whole image for each, and cannot be interrupted. */
const MAX_SCANS = 100;

const START_OF_SCAN = Buffer.from([0xff, 0xda]);

/**
 * Refuses a JPEG with more scans than any camera or microscope writes. The library would process all of them, regardless of
 * the time limit. Throws PAYLOAD_TOO_LARGE.
 */
export async function refuseManyScans(file: string): Promise<void> {
  let scans = 0;
  let last = Buffer.alloc(0);
  for await (const chunk of createReadStream(file)) {
    if (!Buffer.isBuffer(chunk)) throw new Error('expected the file as bytes');
    // Within scan data, the byte after 0xff is never 0xda.
    const bytes = Buffer.concat([last, chunk]);
    for (let at = bytes.indexOf(START_OF_SCAN); at >= 0; at = bytes.indexOf(START_OF_SCAN, at + 2)) {
      scans += 1;
      if (scans > MAX_SCANS) {
        throw new ServiceError(
          'PAYLOAD_TOO_LARGE',
          `The JPEG has more than ${MAX_SCANS} scans; save it as a PNG, or as a JPEG that is not progressive.`,
        );
      }
    }
    last = bytes.subarray(-1);
  }
}
