import assert from 'node:assert/strict';
import { ConnectionClosedError } from '../../../../src/runtime/protocol/connection.ts';
import { embedTexts } from '../../../../src/server/agent-server/runtime/embed-texts.ts';
import { HttpError } from '../../../../src/server/http/errors.ts';
import { RuntimeUnavailableError } from '../../../../src/server/runtimes/process/runtime-errors.ts';

describe('the vectors of texts', () => {
  for (const [what, error, message] of [
    ['cannot start', new RuntimeUnavailableError('The graphs do not load.'), /do not load/],
    ['has stopped', new ConnectionClosedError('closed'), /stopped unexpectedly. Try again/],
  ] as const)
    it(`are refused with a status that clients retry when the runtime ${what}`, async () => {
      await assert.rejects(
        embedTexts({ ready: () => Promise.reject(error) }, ['text']),
        (thrown) => thrown instanceof HttpError && thrown.status === 503 && message.test(thrown.message),
      );
    });
});
