import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Client } from '../../../../src/client/client.ts';
import { ChatState, inputOf, SessionPanel, serveChat } from '../../../support/session-panel.ts';
import { eventually } from '../../../support/wait.ts';

/** Answers once the file that the message names exists, so that a test decides when a run ends. */
const GRAPH = `
import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { AIMessage } from '@langchain/core/messages';
import { END, MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';

export const graph = new StateGraph(MessagesAnnotation)
  .addNode('answer', async ({ messages }, { signal }) => {
    const said = messages.at(-1).content;
    const [, gate] = /until (\\w+)/.exec(said) ?? [];
    while (gate !== undefined && !existsSync(new URL(gate, import.meta.url))) await sleep(20, undefined, { signal });
    return { messages: [new AIMessage({ id: crypto.randomUUID(), content: 'Answer to ' + said })] };
  })
  .addEdge(START, 'answer')
  .addEdge('answer', END)
  .compile();
`;

describe('messages that are sent while a run is in progress', function () {
  this.timeout(120_000);
  let served: Awaited<ReturnType<typeof serveChat>>;
  let client: Client;
  const panels: SessionPanel[] = [];
  before(async () => {
    served = await serveChat(GRAPH);
    client = served.client;
  });
  afterEach(() => {
    for (const panel of panels.splice(0)) {
      panel.session.dispose();
      assert.deepEqual(panel.errors, []);
    }
  });
  after(() => served?.[Symbol.asyncDispose]());

  const open = async (threadId?: string): Promise<SessionPanel> => {
    const panel = new SessionPanel(client, threadId);
    panels.push(panel);
    await panel.session.open();
    return panel;
  };
  /** Lets the runs that wait for it continue. */
  const release = (gate: string) => writeFile(path.join(served.folder, gate), '');
  const waitFor = (panel: SessionPanel, ...contents: readonly string[]) =>
    eventually(
      `${contents} to wait`,
      () => panel.queue,
      (queue) => queue.join() === contents.join(),
    );
  /**
   * Waits until all runs have ended. @returns the messages, which must be the same in the panel and in the
   * thread's state
   */
  const ended = async (panel: SessionPanel): Promise<readonly string[]> => {
    const thread_id = panel.session.thread.threadId ?? '';
    await eventually('the thread to be idle', async () => {
      const runs = await client.runs.list({ params: { thread_id }, query: {} });
      return (
        panel.status === 'idle' &&
        runs.every(({ status }) => status === 'success' || status === 'interrupted')
      );
    });
    await waitFor(panel);
    const { values } = await client.threads.getState({ params: { thread_id } });
    const stored = ChatState.parse(values).messages.map(({ content }) => content);
    await eventually(
      'the panel to show it',
      () => panel.said,
      (said) => said.join() === stored.join(),
    );
    return stored.filter((content) => !content.startsWith('Answer'));
  };

  it('wait in their order, can be changed, moved and removed, and are answered one after another', async () => {
    const panel = await open();
    await panel.send('first until one');
    for (const content of ['second', 'third', 'fourth', 'fifth']) await panel.send(content);
    await waitFor(panel, 'second', 'third', 'fourth', 'fifth');
    // Another panel, such as the same one after a reload, shows the same and changes the same.
    const other = await open(panel.session.thread.threadId);
    await waitFor(other, 'second', 'third', 'fourth', 'fifth');
    const [third, fourth, fifth] = ['third', 'fourth', 'fifth'].map((content) => other.idOf(content));
    // This is faster than the panel learns which runs have replaced these.
    await Promise.all([
      other.session.queue.edit(third ?? '', inputOf('third, in other words').input),
      other.session.queue.move(fourth ?? '', -2),
      other.session.queue.remove(fifth ?? ''),
    ]);
    await waitFor(other, 'fourth', 'second', 'third, in other words');
    await panel.session.queue.refresh();
    await waitFor(panel, 'fourth', 'second', 'third, in other words');
    await assert.rejects(panel.session.queue.remove(crypto.randomUUID()), /no longer queued/);
    await release('one');
    const said = ['first until one', 'fourth', 'second', 'third, in other words'];
    assert.deepEqual(await ended(panel), said);
    assert.deepEqual(await ended(other), said);
  });

  it('can be sent before their turn, while the others keep waiting', async () => {
    const panel = await open();
    await panel.send('first until never');
    await panel.send('second');
    await panel.send('third until two');
    await waitFor(panel, 'second', 'third until two');
    await panel.session.queue.sendNow(panel.idOf('third until two'), 'interrupt');
    await waitFor(panel, 'second');
    await panel.send('urgent', 'interrupt');
    const said = await ended(panel);
    assert.deepEqual(said, ['first until never', 'third until two', 'urgent', 'second']);
  });

  it('undo the run in progress when they are sent with a rollback', async () => {
    const panel = await open();
    await panel.send('first');
    await ended(panel);
    await panel.send('second until never');
    await panel.send('third', 'rollback');
    assert.deepEqual(await ended(panel), ['first', 'third']);
  });

  it('are refused if they must not wait', async () => {
    const panel = await open();
    await panel.send('first until three');
    await assert.rejects(panel.send('second', 'reject'), /still in progress/);
    await release('three');
    assert.deepEqual(await ended(panel), ['first until three']);
  });
});
