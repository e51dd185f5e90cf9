import { connect, type Socket } from 'node:net';
import { onTestFinished } from 'vitest';

/** A TCP connection to a service, for what no HTTP client would send. */
export interface RawConnection {
  readonly socket: Socket;
  /** Everything received so far. */
  received(): string;
  /** Everything received once the service has ended the connection. */
  readonly ended: Promise<string>;
}

/** Connects and sends `text`; the connection is gone when the test is over. */
export async function sendRaw(port: number, text: string): Promise<RawConnection> {
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let received = '';
  socket.setEncoding('utf8').on('data', (chunk) => (received += chunk));
  const ended = new Promise<string>((resolve) => {
    socket.on('error', () => resolve(received)).on('close', () => resolve(received));
  });
  await new Promise((resolve) => socket.write(text, resolve));
  return { socket, received: () => received, ended };
}
