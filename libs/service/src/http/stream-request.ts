import { ServiceError } from '../errors.ts';
import { METADATA } from '../rpc/rpc-metadata.ts';

/**
 * Bytes that the header lines of a request to an internal HTTP endpoint may have: the longest filter in a message, and
 * assertions, with room to spare.
 */
export const MAX_INTERNAL_HEADER_BYTES = 64 * 1024;

/** What the generated code of a message does; `esd.export.v1.ExportRequest` is one. */
export interface MessageCodec<Message> {
  encode(message: Message): { finish(): Uint8Array };
  decode(bytes: Uint8Array): Message;
}

/** A message as the text of a header: base64url of its protobuf form. */
export function streamRequestHeader<Message>(codec: MessageCodec<Message>, message: Message): string {
  return Buffer.from(codec.encode(message).finish()).toString('base64url');
}

/** Reads the text of a header. Throws INVALID_REQUEST when it is missing or not a message. */
export function readStreamRequest<Message>(codec: MessageCodec<Message>, header: string | undefined): Message {
  if (header === undefined) {
    throw new ServiceError('INVALID_REQUEST', `The header \`${METADATA.streamRequest}\` is required.`);
  }
  try {
    return codec.decode(Buffer.from(header, 'base64url'));
  } catch (cause) {
    throw new ServiceError('INVALID_REQUEST', 'The header of the stream does not hold its request.', cause);
  }
}
