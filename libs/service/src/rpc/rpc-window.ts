import { subscribe } from 'node:diagnostics_channel';
import type { ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import { TRANSPORT_OPTIONS } from './rpc-transport.ts';

const widened = new WeakSet<ServerHttp2Session>();

/**
 * Lets the connections of every HTTP/2 server of this process have a window of several megabytes in flight. grpc-js does so
 * for its clients alone: a server's calls share the protocol's default of 64 KB a connection, and small requests wait
 * behind all the large ones that were sent before them.
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
  // What Node documents for this channel.
  return (message as { stream: ServerHttp2Stream }).stream.session as ServerHttp2Session | undefined;
}
