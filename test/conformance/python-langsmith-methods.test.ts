import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { z } from 'zod';
import { projectRoot } from '../support/cache.ts';
import { type Platform, startPlatform } from '../support/platform.ts';
import { requirePython } from '../support/python-projects.ts';
import { patience } from '../support/wait.ts';
import { pythonLangsmithDifferences } from './langsmith-differences.ts';
import { routeOf } from './langsmith-sdk.ts';

const run = promisify(execFile);

/** The generator of docs/compatibility.md reads these results. */
const REPORT = path.join(projectRoot, 'test-results', 'conformance-langsmith-python.json');

/** An endpoint that is not served here; without it, the client falls back to an older one. */
const TRIED_FIRST = /\/examples\/metadata$/;

const Seen = z.object({
  version: z.string(),
  methods: z.array(z.string()),
  /** By method, each request as `METHOD /path`. */
  called: z.record(z.string(), z.array(z.string())),
});

describe('every method of Python’s langsmith client', function () {
  this.timeout(180_000);
  let platform: Platform;
  let seen: z.output<typeof Seen>;

  before(async function () {
    const python = await requirePython(this, 'langgraph-1.2');
    platform = await startPlatform();
    const env = { ...process.env, PLATFORM_URL: platform.url, PLATFORM_KEY: platform.workspace.key };
    const script = path.join(import.meta.dirname, 'python_langsmith_methods.py');
    const { stdout } = await run(python, ['-W', 'ignore', script], { env, timeout: 170_000 * patience });
    seen = Seen.parse(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''));
  });
  after(() => platform?.close());

  it('was called, or is listed as missing here', async () => {
    const routes = Object.fromEntries(
      Object.entries(seen.called).map(([name, requests]) => [
        name,
        [...new Set(requests.filter((request) => !TRIED_FIRST.test(request)).map(toRoute))].sort(),
      ]),
    );
    const missing = seen.methods.filter(
      (name) => routes[name] === undefined && !(name in pythonLangsmithDifferences),
    );
    assert.deepEqual(missing, []);
    const unknown = Object.entries(routes).filter(([, taken]) =>
      taken.some((route) => route.includes('unknown')),
    );
    assert.deepEqual(unknown, []);
    await mkdir(path.dirname(REPORT), { recursive: true });
    await writeFile(REPORT, JSON.stringify({ version: seen.version, routes }, null, 2));
  });
});

function toRoute(request: string): string {
  const [method = '', pathname = ''] = request.split(' ');
  return routeOf(method, pathname);
}
