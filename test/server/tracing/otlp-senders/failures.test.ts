import assert from 'node:assert/strict';
import { OtlpSender } from '../../../support/otlp-senders.ts';
import { type Platform, startPlatform } from '../../../support/platform.ts';

/** Reduced to the attributes that each sender documents or was seen to send; written by hand, not recorded. */
describe('the failures of OTLP instrumentations', () => {
  let platform: Platform;
  let sender: OtlpSender;
  before(async () => {
    platform = await startPlatform();
    sender = new OtlpSender(platform);
  });
  after(() => platform.close());

  const exception = (attributes: Record<string, string>) => [{ name: 'exception', attributes }];

  it('depend on the status: a handled exception is not a failure', async () => {
    for (const status of [{ code: 1 }, undefined]) {
      const run = await sender.spanWith({
        attributes: { 'output.value': 'second try worked' },
        events: exception({ 'exception.message': 'first try' }),
        ...(status === undefined ? {} : { status }),
      });
      assert.deepEqual([run.status, run.error], ['success', null]);
    }
    const failed = await sender.spanWith({
      events: [
        ...exception({ 'exception.message': 'first try' }),
        ...exception({ 'exception.message': 'second try' }),
      ],
      status: { code: 2 },
    });
    assert.deepEqual([failed.status, failed.error], ['error', 'second try']);
  });

  it('begin with the interrupt or the cancellation that the exception is', async () => {
    const stack = 'Traceback (most recent call last):\n  File "a.py", line 1, in ask';
    const interrupt = await sender.spanWith({
      events: exception({
        'exception.type': 'langgraph.errors.GraphInterrupt',
        'exception.message': "(Interrupt(value='ok?', id='1'),)",
        'exception.stacktrace': stack,
      }),
      status: { code: 2 },
    });
    assert.equal(interrupt.error, `GraphInterrupt((Interrupt(value='ok?', id='1'),))\n\n${stack}`);
    const canceled = await sender.spanWith({
      events: exception({ 'exception.type': 'asyncio.exceptions.CancelledError' }),
      status: { code: 2 },
    });
    assert.equal(canceled.error, 'CancelledError()');
  });

  it('do not include commands for the enclosing graph', async () => {
    const run = await sender.spanWith({
      events: exception({ 'exception.type': 'langgraph.errors.ParentCommand' }),
      status: { code: 2 },
    });
    assert.deepEqual([run.status, run.error], ['success', null]);
  });
});
