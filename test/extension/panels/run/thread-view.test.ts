import assert from 'node:assert/strict';
import { setImmediate } from 'node:timers/promises';
import type { Client } from '../../../../src/client/client.ts';
import { inputOf, SessionPanel, serveChat } from '../../../support/session-panel.ts';
import { eventually } from '../../../support/wait.ts';

const GRAPH = `
import { AIMessage } from '@langchain/core/messages';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';

export const graph = new StateGraph(MessagesAnnotation)
  .addNode('answer', ({ messages }) => ({ messages: [new AIMessage('Answer to ' + messages.at(-1).content)] }))
  .addEdge(START, 'answer')
  .addEdge('answer', END)
  .compile();
`;

describe('the thread of a run panel', function () {
  this.timeout(120_000);
  let served: Awaited<ReturnType<typeof serveChat>>;
  let client: Client;
  before(async () => {
    served = await serveChat(GRAPH);
    client = served.client;
  });
  after(() => served?.[Symbol.asyncDispose]());

  const threadWith = async (content: string): Promise<string> => {
    const { thread_id } = await client.threads.create({ body: {} });
    await client.runs.wait({ params: { thread_id }, body: { assistant_id: 'chat', ...inputOf(content) } });
    return thread_id;
  };

  it('is the one that was selected last, even if earlier ones load slowly', async () => {
    const [first, second] = [await threadWith('first'), await threadWith('second')];
    const panel = new SessionPanel(client, first);
    await panel.session.open();
    const changes: Promise<void>[] = [];
    for (const thread of [second, first, second, first, second]) {
      changes.push(panel.session.changeThread(thread));
      // By then the thread is requested, but not yet read.
      await setImmediate();
    }
    await Promise.all(changes);
    await eventually('the second thread', () => panel.said.length >= 2);
    assert.deepEqual([panel.threadId, panel.said], [second, ['second', 'Answer to second']]);
    panel.session.dispose();
    assert.deepEqual(panel.errors, []);
  });

  it('is none if the user left it while it was loading, and the next run creates one', async () => {
    const first = await threadWith('first');
    const panel = new SessionPanel(client, first);
    await panel.session.open();
    const shown = panel.session.thread.checkout(undefined);
    await setImmediate();
    panel.session.thread.leave();
    await shown;
    await eventually('no thread', () => panel.threadId === undefined);
    await panel.send('anew');
    await eventually('an answer', () => panel.said.at(-1) === 'Answer to anew');
    assert.deepEqual(panel.said, ['anew', 'Answer to anew']);
    assert.notEqual(panel.threadId, first);
    panel.session.dispose();
    assert.deepEqual(panel.errors, []);
  });
});
