import assert from 'node:assert/strict';
import { RememberedTool } from '../../../../src/containers/remembered-tool.ts';
import { ArgumentError } from '../../../../src/server/argument-error.ts';
import { CommandRunner } from '../../../../src/server/control-plane/builds/command-runner.ts';
import { ImageServing } from '../../../../src/server/control-plane/images/image-serving.ts';
import { makeLogger } from '../../../../src/server/logger.ts';

describe('serving deployments from images', () => {
  it('refuses a time to start that is not a number, by the name of its variable', () => {
    const environment = { AGENT_HARBOR_CONTAINER_START_SECONDS: '5 min' };
    assert.throws(
      () =>
        new ImageServing({
          dataDir: 'data',
          environment,
          tools: new RememberedTool(environment),
          runner: new CommandRunner('guard.js'),
          logger: makeLogger({ level: 'silent' }),
          sleepAfterMs: 1_000,
          accessTo: () => assert.fail('no deployment is served'),
        }),
      (error: unknown) => {
        // The server reports it like other arguments that are not valid.
        assert.ok(error instanceof ArgumentError);
        assert.match(error.message, /AGENT_HARBOR_CONTAINER_START_SECONDS must be a number .*'5 min'/);
        return true;
      },
    );
  });
});
