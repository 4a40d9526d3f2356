import { randomUUID } from 'node:crypto';
import { PartGatherer } from '../../src/server/tracing/api/ingestion/part-gatherer.ts';
import { nowMicros } from '../../src/server/tracing/database/time.ts';
import { formatSegment } from '../../src/server/tracing/runs/dotted-order.ts';

/** A root and its children, each with ten labels like those from LangGraph's metadata, two of which are unique. */
export function agentTrace(dataDir: string, spans: number) {
  const gatherer = new PartGatherer(dataDir);
  const trace_id = randomUUID();
  const start = nowMicros();
  const root = formatSegment(start, trace_id);
  for (let at = 0; at < spans; at++) {
    const id = at === 0 ? trace_id : randomUUID();
    gatherer.addJson(`post.${id}`, {
      id,
      trace_id,
      name: 'step',
      run_type: 'chain',
      session_name: 'budget',
      start_time: start / 1000 + at,
      end_time: start / 1000 + at + 1,
      dotted_order: at === 0 ? root : `${root}.${formatSegment(start + at * 1000, id)}`,
      ...(at === 0 ? {} : { parent_run_id: trace_id }),
    });
    gatherer.addJson(`post.${id}.inputs`, { question: 'What is it?' });
    gatherer.addJson(`post.${id}.outputs`, { answer: 'It is this.' });
    gatherer.addJson(`post.${id}.extra`, {
      metadata: {
        graph_id: 'agent',
        thread_id: trace_id,
        assistant_id: 'assistant',
        user: 'user',
        revision: 'r1',
        ls_provider: 'openai',
        langgraph_node: 'step',
        langgraph_version: '1.0',
        langgraph_step: at,
        langgraph_checkpoint_ns: `step:${id}`,
      },
    });
  }
  return gatherer.finish();
}
