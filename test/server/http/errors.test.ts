import assert from 'node:assert/strict';
import { RunCreate } from '../../../src/contract/agent-server/runs.ts';
import { ThreadCreate } from '../../../src/contract/agent-server/threads.ts';
import { validationIssues } from '../../../src/server/http/errors.ts';

describe('the errors of an invalid request', () => {
  const run = (fields: object) => issues(RunCreate.safeParse({ assistant_id: 'a', ...fields }));
  function issues(result: ReturnType<typeof RunCreate.safeParse | typeof ThreadCreate.safeParse>) {
    return result.success
      ? []
      : validationIssues(result.error, 'body').map(({ loc, msg }) => [loc.join('.'), msg]);
  }

  it('are those of the variant that a value matches best', () => {
    const modes = /expected one of "values"\|"updates".*"tools"/;
    const [[place, one] = []] = run({ stream_mode: 'bogus' });
    assert.equal(place, 'body.stream_mode');
    assert.match(one ?? '', modes);
    const [[inside, another] = []] = run({ stream_mode: ['values', 'bogus'] });
    assert.equal(inside, 'body.stream_mode.1');
    assert.match(another ?? '', modes);
    assert.match(
      run({ interrupt_before: 5 })[0]?.[1] ?? '',
      /expected "\*"; or: .*expected array, received number/,
    );
  });

  it('explain fields that clients often get wrong', () => {
    assert.deepEqual(issues(ThreadCreate.safeParse({ thread_id: 'mine' })), [
      ['body.thread_id', 'Must be a UUID.'],
    ]);
    const address = [['body.webhook', 'Must be a URL that starts with http:// or https://.']];
    assert.deepEqual(run({ webhook: 'not a url' }), address);
    assert.deepEqual(run({ webhook: 'ftp://example.com' }), address);
    assert.deepEqual(run({ webhook: 'https://example.com/done' }), []);
  });
});
