/** Asks the agent in the terminal, without a server: `npm run ask -- "How do I purge traces?"`. */
import { stdin, stdout } from 'node:process';
import { createInterface } from 'node:readline';
import { Command, INTERRUPT, isInterrupted, MemorySaver } from '@langchain/langgraph';
import { type ApprovalRequest, ApprovalRequestSchema, type Decision } from './approval.ts';
import { docsAgent } from './graph.ts';

const graph = docsAgent.compile({ checkpointer: new MemorySaver() });

async function ask(question: string): Promise<void> {
  let request = await run({ messages: question });
  while (request) request = await run(new Command({ resume: await decide(request) }));
}

/** Runs the graph once and prints what it streams; returns the request for approval that it stopped at, if any. */
async function run(input: Parameters<typeof graph.stream>[0]): Promise<ApprovalRequest | undefined> {
  const stream = await graph.stream(input, {
    configurable: { thread_id: 'terminal' },
    streamMode: ['messages', 'custom', 'updates'],
  });
  let request: ApprovalRequest | undefined;
  for await (const [mode, data] of stream) {
    if (mode === 'messages') {
      const [message, { langgraph_node }] = data;
      if (langgraph_node !== 'retrieve') stdout.write(message.text);
    } else if (mode === 'custom') {
      stdout.write(`${dim(JSON.stringify(data))}\n`);
    } else if (isInterrupted(data)) {
      request = ApprovalRequestSchema.parse(data[INTERRUPT][0]?.value);
    }
  }
  stdout.write('\n');
  return request;
}

/** Shows what was found, and reads a decision. */
async function decide({ reason, passages }: ApprovalRequest): Promise<Decision> {
  stdout.write(`${reason} This was found:\n\n`);
  for (const { source, excerpt } of passages) stdout.write(`${source}\n${dim(excerpt)}\n\n`);
  const reply = await prompt('y to answer from it, Enter to leave it, or the question in other words: ');
  if (reply === '') return { decision: 'reject' };
  return reply === 'y' ? { decision: 'approve' } : { decision: 'edit', question: reply };
}

/** Reads a line; the end of the input counts as an empty one. */
function prompt(text: string): Promise<string> {
  return new Promise((resolve) => {
    const terminal = createInterface({ input: stdin, output: stdout });
    terminal.on('close', () => resolve(''));
    terminal.question(text, (line) => {
      resolve(line.trim());
      terminal.close();
    });
  });
}

function dim(text: string): string {
  return stdout.isTTY ? `\u001b[2m${text}\u001b[0m` : text;
}

let question = process.argv.slice(2).join(' ') || (await prompt('Ask: '));
while (question) {
  await ask(question);
  question = stdin.isTTY ? await prompt('\nAsk: ') : '';
}
