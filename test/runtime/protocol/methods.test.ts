import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { z } from 'zod';

const Schema = z.object({
  'x-methods': z.record(z.string(), z.object({ to: z.string(), kind: z.string() })),
});

const source = new URL('../../../src/runtime/', import.meta.url);
const read = (file: string) => readFile(new URL(file, source), 'utf8');

describe('the requests of the runtime protocol', () => {
  it('are all answered in Python, and no others (TypeScript sees to Node)', async () => {
    const { 'x-methods': methods } = Schema.parse(JSON.parse(await read('protocol/protocol.schema.json')));
    const requests = Object.entries(methods).flatMap(([name, { to, kind }]) =>
      to === 'runtime' && kind === 'request' ? [name] : [],
    );
    const runtime = await read('python/agent_harbor_runtime/runtime.py');
    const start = await read('python/agent_harbor_runtime/start.py');
    const answered = [
      ...runtime.matchAll(/^ +case "(.+)":$/gm),
      ...runtime.matchAll(/^ +"(.+)": .+,$/gm),
      ...start.matchAll(/ method == "(.+)":$/gm),
    ].map(([, name = '']) => name);
    assert.deepEqual([...new Set(answered)].sort(), requests.sort());
  });
});
