import { z } from 'zod';
import { Uuid } from '../../contract/fields.ts';
import { interruptsOf } from '../../terms/run-outcome.ts';
import { assistantOf } from '../../terms/thread-assistant.ts';
import { RunEnd, runToEnd } from '../run-end.ts';
import { defineTool } from '../tool.ts';

export const answer = defineTool({
  name: 'answer',
  title: 'Answer',
  description:
    'Answers the question of a thread (an interrupt) and continues the run until it ends or asks again. The answer is whatever the graph expects: a text, true, or an object.',
  effect: 'runs',
  input: z.object({ thread_id: Uuid, answer: z.unknown() }),
  output: RunEnd,
  async run(context, { thread_id, answer: resume }) {
    await using deployment = await context.deployment();
    const { client } = deployment;
    const options = { signal: context.signal };
    const params = { thread_id };
    const state = await client.threads.getState({ params }, options);
    if (interruptsOf(state).length === 0)
      throw new Error(`Thread ${thread_id} is not waiting for an answer.`);
    const assistantId = assistantOf(await client.threads.get({ params }, options));
    if (assistantId === undefined)
      throw new Error(`Nothing has run on thread ${thread_id} yet, so its assistant is unknown.`);
    // The deployment is released when this function returns, so the run must have ended.
    return await runToEnd(context, client, {
      threadId: thread_id,
      assistantId,
      body: { command: { resume } },
    });
  },
});
