import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { HELP, readArguments } from '../../src/server/server-arguments.ts';
import { bundle } from '../support/dist.ts';

describe("the server's command line", () => {
  it('has a default for everything but the data folder', () => {
    const read = readArguments(['--data-dir', 'data', '--port', '18080'], {
      GITHUB_API_URL: 'https://git.example',
    });
    assert.ok(read !== 'help');
    assert.deepEqual(
      [read.dataDir, read.port, read.githubApi, read.graceSeconds, read.continueAfterCrash],
      [path.resolve('data'), 18_080, 'https://git.example', undefined, true],
    );
  });

  it('takes numbers and the log level from variables too, after options', () => {
    const environment = {
      AGENT_HARBOR_JOBS_PER_RUNTIME: '3',
      AGENT_HARBOR_RUN_TIMEOUT_SECONDS: '',
      AGENT_HARBOR_SLEEP_AFTER_SECONDS: '60',
      AGENT_HARBOR_LOG_LEVEL: 'warn',
      AGENT_HARBOR_DRAIN_SECONDS: '0',
      AGENT_HARBOR_DATABASE_PATIENCE_SECONDS: '2.5',
    };
    const read = readArguments(['--data-dir', 'd', '--sleep-after-seconds', '7'], environment);
    assert.ok(read !== 'help');
    assert.deepEqual(
      [read.jobsPerRuntime, read.runTimeoutSeconds, read.sleepAfterSeconds, read.logLevel],
      [3, 86_400, 7, 'warn'],
    );
    assert.deepEqual([read.drainSeconds, read.databasePatienceSeconds], [0, 2.5]);
    const wrong = { AGENT_HARBOR_JOBS_PER_RUNTIME: 'many', AGENT_HARBOR_LOG_LEVEL: 'loud' };
    for (const [name, value] of Object.entries(wrong))
      assert.throws(() => readArguments(['--data-dir', 'd'], { [name]: value }), {
        message: new RegExp(`^${name} must be`),
      });
  });

  for (const [args, problem] of [
    [['--port', '18080'], /--data-dir <folder> is required/],
    [['--data-dir', 'd', '--port', 'abc'], /--port must be a whole number from 0 to 65535, not 'abc'/],
    [['--data-dir', 'd', '--port', '80.5'], /--port must be a whole number .*, not '80\.5'/],
    [['--data-dir', 'd', '--jobs-per-runtime', '1.5'], /--jobs-per-runtime must be a whole number from 1/],
    [['--data-dir', 'd', '--jobs-per-runtime', '0'], /--jobs-per-runtime must be a whole number from 1/],
    [['--data-dir', 'd', '--drain-seconds=-1'], /--drain-seconds must be a number from 0 to 86400/],
    [['--data-dir', 'd', '--log-level', 'loud'], /--log-level must be one of trace/],
    [['--data-dir', 'd', '--host', '0.0.0.0'], /Unknown option '--host'\. Try --help\.$/],
  ] as const) {
    it(`refuses ${args.join(' ')}`, () => {
      assert.throws(() => readArguments(args, {}), problem);
    });
  }

  it('prints its help, and one sentence for an invalid option', function () {
    this.timeout(20_000);
    const run = (arg: string) =>
      spawnSync(process.execPath, [bundle('server.js'), arg], { encoding: 'utf8' });
    const help = run('--help');
    assert.deepEqual([help.status, help.stdout], [0, HELP]);
    const invalid = run('--host');
    assert.deepEqual([invalid.status, invalid.stderr], [2, "Unknown option '--host'. Try --help.\n"]);
  });
});
