import { expect, test } from '@jest/globals';
import { BinaryWriter as LibraryWriter } from '@bufbuild/protobuf/wire';
import fc from 'fast-check';
import { asBuffer, BinaryReader, BinaryWriter } from '#wire';

type Step = { text: string } | { bytes: Uint8Array } | { within: Step[] };

// Lengths below and above the minimum of a separate part.
const bytes = fc.oneof(
  fc.uint8Array({ maxLength: 20 }),
  fc.constantFrom(4_095, 4_096, 4_097, 70_000).map((length) => new Uint8Array(length).fill(length % 251)),
);
const { steps } = fc.letrec<{ steps: Step[]; step: Step }>((tie) => ({
  steps: fc.array(tie('step'), { maxLength: 5 }),
  step: fc.oneof(
    { maxDepth: 3 },
    fc.record({ bytes }),
    fc.record({ text: fc.string() }),
    fc.record({ within: tie('steps') }),
  ),
}));

function write(writer: LibraryWriter, all: readonly Step[]): LibraryWriter {
  for (const step of all) {
    if ('text' in step) writer.uint32(10).string(step.text);
    else if ('bytes' in step) writer.uint32(18).bytes(step.bytes);
    else write(writer.uint32(26).fork(), step.within).join();
  }
  return writer;
}

test('every finished message has the same bytes as with the writer of the library', () => {
  fc.assert(
    fc.property(fc.array(steps, { minLength: 1, maxLength: 3 }), (messages) => {
      const [ours, theirs] = [new BinaryWriter(), new LibraryWriter()];
      for (const message of messages) {
        const [written, wanted] = [write(ours, message).finish(), write(theirs, message).finish()];
        expect(Buffer.compare(written, wanted)).toBe(0);
      }
    }),
  );
});

test('a finished message does not change when the writer continues', () => {
  const writer = new BinaryWriter();
  const first = writer
    .uint32(18)
    .bytes(new Uint8Array(5_000).fill(1))
    .uint32(18)
    .bytes(new Uint8Array(9).fill(2))
    .finish();
  const copy = Buffer.from(first);
  writer.uint32(18).bytes(new Uint8Array(6_000).fill(3)).uint32(18).bytes(new Uint8Array(9).fill(4)).finish();
  expect(Buffer.compare(first, copy)).toBe(0);
});

test('reads bytes without a copy', () => {
  const message = new BinaryWriter().bytes(new Uint8Array(5_000).fill(7)).finish();
  const read = asBuffer(new BinaryReader(message).bytes());
  expect(read.equals(Buffer.alloc(5_000, 7))).toBe(true);
  expect(read.buffer).toBe(message.buffer);
});
