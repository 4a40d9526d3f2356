import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { HarborWindow } from '../e2e/pages/harbor-window.ts';
import { TracePanelPage } from '../e2e/pages/trace-panel-page.ts';
import { startCli } from '../support/cli.ts';
import { PYTHON_PACKAGES } from '../support/evaluation-packages.ts';
import { modelOrigin } from '../support/model-origin.ts';
import { PeakMemory } from '../support/peak-memory.ts';
import { requireEnvironment } from '../support/python-projects.ts';
import { replayProject } from '../support/replay-project.ts';
import { skip } from '../support/skip.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const MEBIBYTE = 1_048_576;
/** The size of all answers of models and tools; `npm run soak` makes it a gibibyte. */
const TOTAL_BYTES = Number(process.env.RECORDING_MEBIBYTES ?? 96) * MEBIBYTE;
/** The number of the agent's clients that each read a part, and the node that calls them. */
const AGENTS = {
  node: { clients: 3, step: 'readAll' },
  python: { clients: 4, step: 'read_async' },
} as const;
/** The maximum memory of any process, regardless of the length of the recording. */
const MAX_BYTES = 480 * MEBIBYTE;
const KILLED_AT = 2_500 * MEBIBYTE;

for (const language of ['node', 'python'] as const) {
  const { clients, step } = AGENTS[language];
  describe(`a long recording of ${language === 'node' ? 'Node' : 'Python'}`, function () {
    this.timeout(60 * 60_000);

    it('is made, saved, opened and replayed without being held in memory', async function () {
      if (process.platform !== 'linux') skip(this, 'the peak of the memory of processes is read from /proc');
      const python =
        language === 'python'
          ? await requireEnvironment(this, 'langgraph-1.2', 'evaluation', PYTHON_PACKAGES)
          : undefined;
      this.timeout(60 * 60_000);
      await using origin = await modelOrigin();
      await using project = await replayProject(
        {
          MODEL_ORIGIN: origin.url,
          OPENAI_API_KEY: 'the-openai-key',
          ANTHROPIC_API_KEY: 'the-anthropic-key',
          ...(python === undefined ? {} : { AGENT_HARBOR_PYTHON: python }),
        },
        language,
      );
      await using folder = await temporaryFolder();
      await using data = await temporaryFolder();
      const file = path.join(folder.path, 'long.agentrun');
      const environment = { AGENT_HARBOR_TEST_PEAK: folder.path };
      const measured = async <T>(
        what: string,
        processes: Readonly<Record<string, string>>,
        act: () => Promise<T>,
      ): Promise<T> => {
        using peaks = new PeakMemory({ name: 'AGENT_HARBOR_TEST_PEAK', value: folder.path }, KILLED_AT);
        const done = await act();
        for (const [name, command] of Object.entries(processes)) {
          const bytes = peaks.of(command);
          console.log(`${what}: ${name} had ${Math.round(bytes / MEBIBYTE)} MiB`);
          assert.ok(bytes > 0, `${what}: ${name} was not seen`);
          assert.ok(bytes < MAX_BYTES, `${what}: ${name} had ${bytes} bytes`);
        }
        return done;
      };
      const run = async (...args: readonly string[]) => {
        const options = { cwd: project.folder, environment };
        await using running = startCli([...args, '--data-dir', data.path], options);
        const { code, stdout, stderr } = await running.ended();
        assert.equal(code, 0, `${stdout}${stderr}`);
        return stdout;
      };
      const running = {
        'the command line': 'cli.js',
        'the server': 'server.js',
        'the runtime': language === 'node' ? 'runtime-node.js' : 'runtime-python',
      };
      const input = JSON.stringify({ bytes: Math.ceil(TOTAL_BYTES / clients) });
      await measured('recording', running, () => run('run', 'long', '--input', input, '--record', file));
      assert.ok((await stat(file)).size > TOTAL_BYTES);
      await origin.close();
      await measured('opening', { 'the extension host': 'type=extensionHost' }, async () => {
        const window = await HarborWindow.open({ folder: folder.path, env: environment });
        try {
          await open(window);
          assert.deepEqual(window.workbench.problems(), []);
        } finally {
          await window.close();
        }
      });
      const outcome = await measured('replaying', running, () => run('replay', file));
      assert.match(outcome, /^The run is the same/);

      async function open({ workbench }: HarborWindow): Promise<void> {
        await workbench.quickInput.openFile('long.agentrun');
        const page = new TracePanelPage(workbench.page, await workbench.customEditor());
        await page.frame.getByText(`${clients} requests`, { exact: true }).waitFor({ timeout: 60_000 });
        await page.select(step);
        await page.part('Output').waitFor();
      }
    });
  });
}
