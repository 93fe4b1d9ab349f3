import { ServiceError } from '../errors.ts';
import { METADATA } from '../rpc/rpc-metadata.ts';

/** Maximum header bytes of a request to an internal HTTP endpoint: fits the longest filter and the assertions. */
export const MAX_INTERNAL_HEADER_BYTES = 64 * 1024;

/** The generated codec of a message, such as `esd.export.v1.ExportRequest`. */
export interface MessageCodec<Message> {
  encode(message: Message): { finish(): Uint8Array };
  decode(bytes: Uint8Array): Message;
}

/** Encodes a message for a header: base64url of its protobuf form. */
export function streamRequestHeader<Message>(codec: MessageCodec<Message>, message: Message): string {
  return Buffer.from(codec.encode(message).finish()).toString('base64url');
}

/** Decodes a message from a header. Throws INVALID_REQUEST if it is missing or invalid. */
export function readStreamRequest<Message>(codec: MessageCodec<Message>, header: string | undefined): Message {
  if (header === undefined) {
    throw new ServiceError('INVALID_REQUEST', `The header \`${METADATA.streamRequest}\` is required.`);
  }
  try {
    return codec.decode(Buffer.from(header, 'base64url'));
  } catch (cause) {
    throw new ServiceError(
      'INVALID_REQUEST',
      `The header \`${METADATA.streamRequest}\` is not a valid request message.`,
      { cause },
    );
  }
}
