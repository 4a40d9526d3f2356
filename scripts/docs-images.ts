/**
 * Takes the pictures in docs/images again: `npm run build && node scripts/docs-images.ts [--copy]`. The end-to-end tests
 * take them in a real VS Code, in every theme; `--copy` uses those of the last run. Look at each before you commit it.
 */
import { spawnSync } from 'node:child_process';
import { copyFile } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { projectRoot } from '../test/support/cache.ts';

interface Source {
  readonly file: string;
  /** The tests that take the pictures; all tests of the file by default. */
  readonly tests?: string;
  /** Names in docs/images, each with the name of its screenshot. */
  readonly images: Readonly<Record<string, string>>;
}

const sources: readonly Source[] = [
  {
    file: 'tour.test.ts',
    images: { 'run-dark': 'run-dark', 'interrupt-dark': 'interrupt-dark', 'views-light': 'views-light' },
  },
  {
    file: 'run-panel.test.ts',
    tests: 'form made from the graph|draws the graph|edits the state, refuses|thread.s turns',
    images: {
      'form-dark': 'run-form-dark',
      'graph-dark': 'run-breakpoint-dark',
      'edit-state-light': 'run-edit-state-light',
      'history-light': 'run-history-light',
    },
  },
  { file: 'views.test.ts', tests: 'compares any two states', images: { 'compare-dark': 'compare' } },
  { file: 'deploy.test.ts', images: { 'deploy-failed-dark': 'deploy-failed-dark' } },
  {
    file: 'debugging.test.ts',
    tests: 'a run panel says where the debugger',
    images: {
      'debug-bound-dark': 'debug-bound',
      'debugging-dark': 'run-paused-dark',
      'debug-done-dark': 'debug-done',
    },
  },
  {
    file: 'first-use.test.ts',
    tests: 'in a walkthrough',
    images: { 'walkthrough-light': 'walkthrough-light' },
  },
];

const { values } = parseArgs({ options: { copy: { type: 'boolean' } } });

for (const { file, tests, images } of sources) {
  if (!values.copy) take(file, tests);
  for (const [image, screenshot] of Object.entries(images)) {
    const taken = path.join(projectRoot, 'test-results', 'screenshots', `${screenshot}.png`);
    await copyFile(taken, path.join(projectRoot, 'docs', 'images', `${image}.png`));
    console.log(`docs/images/${image}.png`);
  }
}

function take(file: string, tests: string | undefined): void {
  const mocha = path.join(projectRoot, 'node_modules', 'mocha', 'bin', 'mocha.js');
  const grep = tests === undefined ? [] : ['--grep', tests];
  const { status } = spawnSync(process.execPath, [mocha, path.join('test', 'e2e', file), ...grep], {
    cwd: projectRoot,
    stdio: 'inherit',
    env: { ...process.env, AGENT_HARBOR_THEMES: 'all' },
  });
  if (status !== 0) throw new Error(`The tests of ${file} failed, so their pictures may be wrong.`);
}
