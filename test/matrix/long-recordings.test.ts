import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { startCli } from '../support/cli.ts';
import { PYTHON_PACKAGES } from '../support/evaluation-packages.ts';
import { modelOrigin } from '../support/model-origin.ts';
import { PeakMemory } from '../support/peak-memory.ts';
import { requireEnvironment } from '../support/python-projects.ts';
import { replayProject } from '../support/replay-project.ts';
import { skip } from '../support/skip.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const MEBIBYTE = 1_048_576;
/** What models and tools answer in all; `npm run soak` makes it a gibibyte. */
const TOTAL_BYTES = Number(process.env.RECORDING_MEBIBYTES ?? 96) * MEBIBYTE;
/** How many clients of the agent read a part of it each. */
const CLIENTS = { node: 3, python: 4 } as const;
/** Of any process, however long the recording. */
const MAX_BYTES = 480 * MEBIBYTE;
const KILLED_AT = 2_500 * MEBIBYTE;

for (const language of ['node', 'python'] as const) {
  describe(`a long recording of ${language === 'node' ? 'Node' : 'Python'}`, function () {
    this.timeout(60 * 60_000);

    it('is made, saved and replayed without being held in memory', async function () {
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
      const file = path.join(folder.path, 'long.agentrun');
      const marker = { name: 'AGENT_HARBOR_TEST_PEAK', value: folder.path };
      const measured = async (what: string, args: readonly string[]) => {
        using peaks = new PeakMemory(marker, KILLED_AT);
        await using running = startCli([...args, '--data-dir', path.join(folder.path, 'data')], {
          cwd: project.folder,
          environment: { [marker.name]: marker.value },
        });
        const { code, stdout, stderr } = await running.ended();
        const found = {
          'the command line': peaks.of('cli.js'),
          'the server': peaks.of('server.js'),
          'the runtime': peaks.of(language === 'node' ? 'runtime-node.js' : 'runtime-python'),
        };
        for (const [name, bytes] of Object.entries(found)) {
          console.log(`${what}: ${name} had ${Math.round(bytes / MEBIBYTE)} MiB`);
        }
        assert.equal(code, 0, `${what}: ${stdout}${stderr}`);
        for (const [name, bytes] of Object.entries(found)) {
          assert.ok(bytes > 0, `${what}: ${name} was not seen`);
          assert.ok(bytes < MAX_BYTES, `${what}: ${name} had ${bytes} bytes`);
        }
        return stdout;
      };
      const input = JSON.stringify({ bytes: Math.ceil(TOTAL_BYTES / CLIENTS[language]) });
      await measured('recording', ['run', 'long', '--input', input, '--record', file]);
      assert.ok((await stat(file)).size > TOTAL_BYTES);
      await origin.close();
      const outcome = await measured('replaying', ['replay', file]);
      assert.match(outcome, /^The run is the same/);
    });
  });
}
