import { createSocket, type RemoteInfo } from 'node:dgram';
import dns from 'node:dns';
import { once } from 'node:events';
import ipaddr from 'ipaddr.js';
import { onTestFinished } from 'vitest';

const AAAA = 28;
const REFUSED = 0x8185;
const NO_ERROR = 0x8180;

/** What a name server knows of a name: its addresses, or that it must not say. It does not answer at all without either. */
export type Knowledge = (name: string) => readonly string[] | 'refused' | undefined;

/** Makes a name server the only one of the process, until the test is over. Returns the names that it is asked for. */
export async function startNameServer(knowledge: Knowledge = () => undefined): Promise<Set<string>> {
  const asked = new Set<string>();
  const socket = createSocket('udp4');
  socket.on('message', (query: Buffer, { port, address }: RemoteInfo) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
      labels.push(query.toString('latin1', at + 1, at + 1 + length));
      at += 1 + length;
    }
    const name = labels.join('.');
    asked.add(name);
    const known = knowledge(name);
    if (known === undefined) return;
    const type = query.readUInt16BE(at + 1);
    const records = (known === 'refused' ? [] : known)
      .map((text) => ipaddr.parse(text).toByteArray())
      .filter(({ length }) => length === (type === AAAA ? 16 : 4))
      .map((bytes) => Buffer.from([0xc0, 12, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length].concat(bytes)));
    const question = query.subarray(0, at + 5);
    question.writeUInt16BE(known === 'refused' ? REFUSED : NO_ERROR, 2);
    question.set([0, 1, 0, records.length, 0, 0, 0, 0], 4);
    socket.send(Buffer.concat([question, ...records]), port, address);
  });
  await once(socket.bind(0, '127.0.0.1'), 'listening');
  const servers = dns.getServers();
  dns.setServers([`127.0.0.1:${socket.address().port}`]);
  onTestFinished(() => {
    dns.setServers(servers);
    socket.close();
  });
  return asked;
}
