import assert from 'node:assert/strict';
import { readPauses } from '../../../src/cli/dev/debugger-pauses.ts';

/** Encodes a message as debugpy sends it. */
function adapterMessage(message: object): Buffer {
  const text = JSON.stringify(message);
  return Buffer.from(`Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`);
}

/** A frame as a server sends it: https://www.rfc-editor.org/rfc/rfc6455#section-5.2 */
function frame(message: object): Buffer {
  const text = Buffer.from(JSON.stringify(message));
  const header = Buffer.alloc(text.length < 126 ? 2 : text.length < 65_536 ? 4 : 10);
  header[0] = 0x81;
  header[1] = text.length < 126 ? text.length : text.length < 65_536 ? 126 : 127;
  if (header.length === 4) header.writeUInt16BE(text.length, 2);
  if (header.length === 10) header.writeBigUInt64BE(BigInt(text.length), 2);
  return Buffer.concat([header, text]);
}

const streams = {
  python: Buffer.concat([
    adapterMessage({ seq: 1, type: 'event', event: 'output', body: { output: 'ä "stopped"' } }),
    adapterMessage({ seq: 2, type: 'event', event: 'stopped', body: { threadId: 1 } }),
    adapterMessage({ seq: 3, type: 'response', command: 'continue', success: true }),
    adapterMessage({ seq: 4, type: 'event', event: 'continued', body: { threadId: 1 } }),
  ]),
  node: Buffer.concat([
    Buffer.from('HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n'),
    frame({ method: 'Debugger.scriptParsed', params: { url: 'x'.repeat(70_000) } }),
    frame({ method: 'Debugger.paused', params: { callFrames: ['x'.repeat(300)] } }),
    frame({ id: 1, result: {} }),
    frame({ method: 'Debugger.resumed', params: {} }),
  ]),
};

describe('the output of a debugger to its client', () => {
  for (const language of ['python', 'node'] as const) {
    for (const size of [1, 7, 1_000, Number.POSITIVE_INFINITY]) {
      it(`reports pauses in ${language}, in chunks of ${size} bytes`, () => {
        const told: boolean[] = [];
        const read = readPauses(language, (isPaused) => told.push(isPaused));
        const bytes = streams[language];
        for (let at = 0; at < bytes.length; at += size) read(bytes.subarray(at, at + size));
        assert.deepEqual(told, [true, false]);
      });
    }
  }

  it('is ignored if it is not a message', () => {
    const told: boolean[] = [];
    readPauses('python', (isPaused) => told.push(isPaused))(Buffer.from('Content-Length: 3\r\n\r\n{"a'));
    readPauses('node', (isPaused) => told.push(isPaused))(Buffer.from('HTTP/1.1 400 Bad Request\r\n\r\n'));
    assert.deepEqual(told, []);
  });
});
