/**
 * Outgoing connections of one sandbox. A sandbox has no network; commands in it (pip) are given an
 * HTTP proxy whose other end is here, and only hosts that the sandbox's network rules allow are
 * reached. With the rules closed every request gets 403.
 */
import { connect, type Socket } from 'node:net';

/** As PUT /sandboxes/{id}/network sets them; replaced as a whole. */
export interface EgressRules {
  allowsHost(host: string, port: number): boolean;
}

interface Connection {
  /** Bytes of the request's head, until it is complete. */
  head: Buffer | null;
  socket: Socket | null;
}

const MAX_HEAD_BYTES = 64 * 1024;
const HEAD_END = '\r\n\r\n';

export function createEgress(
  rules: EgressRules,
  send: (connection: number, state: 'data' | 'close', data?: Uint8Array) => void,
) {
  const connections = new Map<number, Connection>();

  const close = (id: number) => {
    const connection = connections.get(id);
    if (!connection) return;
    connections.delete(id);
    connection.socket?.destroy();
    send(id, 'close');
  };
  const refuse = (id: number, status: string) => {
    send(
      id,
      'data',
      Buffer.from(`HTTP/1.1 ${status}\r\ncontent-length: 0\r\nconnection: close${HEAD_END}`),
    );
    close(id);
  };

  const open = (id: number, connection: Connection, head: string, rest: Buffer) => {
    const target = parseTarget(head);
    if (!target) return refuse(id, '400 Bad Request');
    if (!rules.allowsHost(target.host, target.port)) return refuse(id, '403 Forbidden');
    const socket = connect(target.port, target.host);
    connection.socket = socket;
    connection.head = null;
    socket.on('connect', () => {
      if (target.tunnel)
        send(id, 'data', Buffer.from(`HTTP/1.1 200 Connection established${HEAD_END}`));
    });
    socket.write(Buffer.concat([Buffer.from(target.forward), rest]));
    socket.on('data', (data) => send(id, 'data', data));
    socket.on('error', () => refuse(id, '502 Bad Gateway'));
    socket.on('close', () => close(id));
  };

  return {
    handle(id: number, state: 'open' | 'data' | 'close', data: Buffer): void {
      if (state === 'open') connections.set(id, { head: Buffer.alloc(0), socket: null });
      const connection = connections.get(id);
      if (!connection) return;
      if (state === 'close') {
        close(id);
      } else if (connection.socket) {
        connection.socket.write(data);
      } else {
        connection.head = Buffer.concat([connection.head ?? Buffer.alloc(0), data]);
        const end = connection.head.indexOf(HEAD_END);
        if (end >= 0) {
          const rest = connection.head.subarray(end + HEAD_END.length);
          open(id, connection, connection.head.toString('latin1', 0, end), rest);
        } else if (connection.head.length > MAX_HEAD_BYTES) refuse(id, '431 Too Large');
      }
    },
    close(): void {
      for (const connection of connections.values()) connection.socket?.destroy();
      connections.clear();
    },
  };
}

/** CONNECT host:port, or METHOD http://host/path rewritten to one request in origin form. */
function parseTarget(
  head: string,
): { host: string; port: number; tunnel: boolean; forward: string } | null {
  const [line = '', ...headers] = head.split('\r\n');
  const [method = '', target = '', version = ''] = line.split(' ');
  const tunnel = method === 'CONNECT';
  const text = tunnel ? `https://${target}` : target;
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  if (!tunnel && url.protocol !== 'http:') return null;
  const port = Number(url.port) || (tunnel ? 443 : 80);
  const kept = headers.filter((header) => !/^(proxy-|connection:)/i.test(header));
  // One request a connection: the next one on it could name another host.
  const first = `${method} ${url.pathname}${url.search} ${version}`;
  const forward = tunnel ? '' : `${[first, ...kept, 'Connection: close'].join('\r\n')}${HEAD_END}`;
  return { host: url.hostname, port, tunnel, forward };
}
