import { subscribe } from 'node:diagnostics_channel';
import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import { TRANSPORT_OPTIONS } from './rpc-transport.ts';

const widened = new WeakSet<ServerHttp2Session>();

/**
 * Enlarges the connection windows of all HTTP/2 servers of this process. grpc-js does so for clients only. Otherwise,
 * the calls of a connection would share the default of 64 KB, and small requests would wait behind large ones.
 */
export function widenWindows(): void {
  subscribe('http2.server.stream.created', (message) => {
    const session = sessionOf(message);
    if (!session || widened.has(session)) return;
    widened.add(session);
    session.setLocalWindowSize(TRANSPORT_OPTIONS['grpc-node.flow_control_window']);
  });
}

function sessionOf(message: unknown): ServerHttp2Session | undefined {
  // Safe cast: Node documents this message type of the channel.
  return (message as { stream: ServerHttp2Stream }).stream.session as ServerHttp2Session | undefined;
}
