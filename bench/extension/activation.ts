/**
 * Measures how long VS Code takes to activate the packaged extension, compared with one that does nothing, as VS Code
 * itself reports it in "Show Running Extensions": `npm run bench:extension [-- ROUNDS]`. Every round is a fresh
 * extension host.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { median } from 'simple-statistics';
import { projectRoot } from '../../test/support/cache.ts';
import { exampleFolder } from '../../test/support/example.ts';
import { eventually } from '../../test/support/wait.ts';
import { Workbench } from '../../test/support/workbench/workbench.ts';

/** The target for the extension's activation time. */
const targetMs = 50;
const names = { ours: 'Agent Harbor', empty: 'Empty' } as const;

const rounds = Number(process.argv[2] ?? 7);
const temporary = await mkdtemp(path.join(tmpdir(), 'agent-harbor-activation-'));
try {
  const vsix = path.join(temporary, 'agent-harbor.vsix');
  await promisify(execFile)(process.execPath, [path.join(projectRoot, 'scripts/package.ts'), '--out', vsix]);
  const workbench = await Workbench.open({
    vsix,
    extensions: [path.join(import.meta.dirname, 'empty')],
    folder: await exampleFolder('docs-agent'),
    // The list has one row per extension, and draws only those in sight.
    size: { width: 1280, height: 4000 },
    settings: { 'workbench.editor.useModal': 'off' },
  });
  const times: Record<keyof typeof names, number[]> = { ours: [], empty: [] };
  try {
    for (let round = 0; round <= rounds; round++) {
      if (round > 0) await workbench.reload();
      await workbench.runCommand('Developer: Show Running Extensions');
      const ours = await activationMs(workbench, names.ours);
      const empty = await activationMs(workbench, names.empty);
      // The first round reads the files from disk.
      console.log(`${round === 0 ? 'first  ' : `round ${round}`}  ours ${ours} ms, empty ${empty} ms`);
      if (round === 0) continue;
      times.ours.push(ours);
      times.empty.push(empty);
    }
  } finally {
    await workbench.close();
  }
  const [ours, empty] = [median(times.ours), median(times.empty)];
  console.log(
    `median   ours ${ours} ms, empty ${empty} ms; target < ${targetMs} ms: ${ours < targetMs ? 'met' : 'missed'}`,
  );
} finally {
  await rm(temporary, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
}

/** VS Code's own measurements: loading the code and calling `activate`. */
async function activationMs({ page }: Workbench, name: string): Promise<number> {
  const row = page
    .locator('.runtime-extensions-editor .monaco-list-row')
    .filter({ has: page.locator('.name').getByText(name, { exact: true }) });
  const text = await eventually(
    `the activation of ${name}`,
    async () => ((await row.count()) === 0 ? '' : row.locator('.activation-time').innerText()),
    (shown) => /\d+\s*ms/.test(shown),
    30_000,
  );
  return Number(/(\d+)\s*ms/.exec(text)?.[1]);
}
