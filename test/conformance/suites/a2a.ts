import assert from 'node:assert/strict';
import { z } from 'zod';

const Task = z.looseObject({
  id: z.string(),
  contextId: z.string(),
  status: z.looseObject({ state: z.string() }),
});
const Answer = z.looseObject({ result: z.unknown() });
const Page = z.object({
  tasks: z.array(Task),
  nextPageToken: z.string(),
  pageSize: z.int(),
  totalSize: z.int(),
});

/** Tasks of A2A, on any server that receives a request. */
export function a2aSuite(url: () => string, fetch: typeof globalThis.fetch): void {
  describe('A2A', () => {
    const post = (assistant: string, method: string, params: object) =>
      fetch(`${url()}/a2a/${assistant}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: '1', method, params }),
      });
    const call = async (assistant: string, method: string, params: object) =>
      Answer.parse(await (await post(assistant, method, params)).json()).result;
    const message = (data: object, more: object = {}) => ({
      message: { role: 'user', messageId: 'm', parts: [{ kind: 'data', data }], ...more },
    });

    it('follows, lists and cancels tasks, and continues those that ask', async () => {
      const request = { ...message({ ms: 600_000 }), configuration: { blocking: false } };
      const { id, contextId } = Task.parse(await call('slow', 'message/send', request));
      const followed = await post('slow', 'tasks/resubscribe', { id });
      const canceled = Task.parse(await call('slow', 'tasks/cancel', { id }));
      assert.equal(canceled.status.state, 'canceled');
      assert.match(await followed.text(), /"state":"canceled".*"final":true/);
      const list = async (assistant: string, filter: object) =>
        Page.parse(await call(assistant, 'tasks/list', filter)).tasks.map((task) => task.id);
      assert.deepEqual(await list('slow', { contextId, status: 'canceled' }), [id]);

      const asked = Task.parse(await call('approval', 'message/send', message({ topic: 'it' })));
      assert.deepEqual(await list('approval', { status: 'input-required' }), [asked.id]);
      const answer = message({}, { parts: [{ kind: 'text', text: 'yes' }], taskId: asked.id });
      const answered = Task.parse(await call('approval', 'message/send', answer));
      assert.deepEqual([answered.id, answered.status.state], [asked.id, 'completed']);
      assert.deepEqual(await list('approval', { pageSize: 1 }), [asked.id]);
    });
  });
}
