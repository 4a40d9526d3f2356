import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { z } from 'zod';
import { projectRoot } from '../support/cache.ts';
import { exampleFolder } from '../support/example.ts';

/** The part of the example that these tests use. The example has its own LangGraph. */
interface Example {
  docsAgent: { compile(options: { checkpointer: unknown }): Graph };
}
interface LangGraph {
  MemorySaver: new () => unknown;
  Command: new (fields: { resume: unknown }) => unknown;
}
interface Markdown {
  passagesOf(
    file: string,
    markdown: string,
  ): { source: string; heading: string; line: number; text: string }[];
}
interface Graph {
  stream(input: unknown, config: object): Promise<AsyncIterable<[mode: string, data: unknown]>>;
  getState(config: object): Promise<{ values: unknown; next: string[] }>;
}

const citation = z.object({ source: z.string(), file: z.string(), heading: z.string(), line: z.number() });
const streamedMessage = z.tuple([
  z.object({ text: z.string(), type: z.string() }),
  z.object({ langgraph_node: z.string() }),
]);
const state = z.object({
  messages: z.array(
    z.object({
      type: z.string(),
      text: z.string(),
      tool_calls: z.array(z.object({ name: z.string(), args: z.unknown() })).optional(),
      usage_metadata: z.object({ input_tokens: z.number(), output_tokens: z.number() }).optional(),
      additional_kwargs: z.object({ citations: z.array(citation).optional() }),
    }),
  ),
  verdict: z.object({ sure: z.boolean(), confidence: z.number(), reason: z.string() }).nullable(),
  citations: z.array(citation),
});
const interrupted = z.object({
  __interrupt__: z.array(
    z.object({
      value: z.object({
        type: z.literal('approval'),
        question: z.string(),
        reason: z.string(),
        problem: z.string().optional(),
        passages: z.array(z.object({ source: z.string(), excerpt: z.string() })),
        allowed: z.array(z.object({ decision: z.string(), resume: z.object({ decision: z.string() }) })),
      }),
      response_schema: z.object({ oneOf: z.array(z.unknown()) }),
    }),
  ),
});

const sure = 'What happens when the server is killed?';
const unsure = 'Can I purge traces on Mars?';

describe('the docs agent', function () {
  this.timeout(180_000);

  let langgraph: LangGraph;
  let example: Example;
  let markdown: Markdown;
  let graph: Graph;
  let threads = 0;
  const folders: string[] = [];

  before(async () => {
    const folder = await exampleFolder('docs-agent');
    const load = (file: string) => import(pathToFileURL(path.join(folder, file)).href);
    langgraph = await load('node_modules/@langchain/langgraph/dist/index.js');
    example = await load('src/graph.ts');
    markdown = await load('src/corpus/markdown.ts');
  });

  beforeEach(() => {
    graph = example.docsAgent.compile({ checkpointer: new langgraph.MemorySaver() });
  });

  after(async () => {
    for (const folder of folders) await rm(folder, { recursive: true });
  });

  /** A conversation on a new thread. */
  function conversation(context: Record<string, unknown> = {}) {
    threads += 1;
    const config = {
      configurable: { thread_id: `thread-${threads}` },
      context: { model: 'extractive', token_delay_ms: 0, ...context },
      streamMode: ['messages', 'updates', 'custom'],
    };
    const run = async (input: unknown) => {
      const events: [mode: string, data: unknown][] = [];
      for await (const event of await graph.stream(input, config)) events.push(event);
      return events;
    };
    return {
      ask: (question: unknown) => run({ messages: question }),
      resume: (resume: unknown) => run(new langgraph.Command({ resume })),
      state: async () => state.parse((await graph.getState(config)).values),
      next: async () => (await graph.getState(config)).next,
    };
  }

  async function folderWith(files: Record<string, string>): Promise<string> {
    const folder = await mkdtemp(path.join(tmpdir(), 'docs-agent-'));
    folders.push(folder);
    for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
    return folder;
  }

  /** A folder of documents that describe purging traces, but never mention Mars. */
  const purgingDocs = () =>
    folderWith({
      'purging.md':
        '# Purging\n\nPurging deletes traces for good. Whoever has the key of a workspace may purge its traces. ' +
        'A purge also deletes the feedback on these traces, and it cannot be undone.\n',
    });

  it('searches by a tool call, judges the results, and answers', async () => {
    const { ask, state } = conversation();
    const events = await ask([{ role: 'user', content: sure }]);

    const nodes = events.flatMap(([mode, data]) => (mode === 'updates' ? Object.keys(Object(data)) : []));
    assert.deepEqual(nodes, ['plan', 'retrieve', 'judge', 'answer']);
    const { messages, verdict } = await state();
    assert.deepEqual(
      messages.map(({ type }) => type),
      ['human', 'ai', 'tool', 'ai'],
    );
    assert.deepEqual(messages[1]?.tool_calls, [{ name: 'search_docs', args: { query: 'server killed' } }]);
    assert.equal(verdict?.sure, true);
  });

  it('streams its answer in many tokens, which make up the message that is kept', async () => {
    const { ask, state } = conversation();
    const tokens = answerTokens(await ask(sure));

    assert.ok(tokens.length > 20, `only ${tokens.length} tokens`);
    const answer = (await state()).messages.at(-1);
    assert.equal(tokens.join(''), answer?.text);
    assert.equal(answer?.usage_metadata?.output_tokens, tokens.filter(Boolean).length);
  });

  it('cites files and headings that exist, at the line where they are', async () => {
    const { ask, state } = conversation();
    await ask(sure);

    const { citations, messages } = await state();
    assert.deepEqual(messages.at(-1)?.additional_kwargs.citations, citations);
    assert.ok(citations.length > 0);
    for (const { source, file, heading, line } of citations) {
      const lines = (await readFile(path.join(projectRoot, file), 'utf8')).split('\n');
      assert.match(lines[line - 1] ?? '', /^#+ /, `${source} at line ${line}`);
      assert.equal(lines[line - 1]?.replace(/^#+ /, ''), heading.split(' › ').at(-1));
      assert.ok(messages.at(-1)?.text.includes(`[${source}]`));
    }
  });

  it('reports its progress in custom events', async () => {
    const events = await conversation().ask(sure);
    const types = events.flatMap(([mode, data]) => (mode === 'custom' ? [Object(data).type] : []));
    assert.deepEqual(types, ['retrieved', 'judged']);
  });

  it('says nothing that is not in the documents', async () => {
    const moss = [
      'Moss grows on stones. It is green.',
      'It needs shade:',
      '- under trees\n- north of walls',
      'Moss has no roots.',
    ];
    const folder = await folderWith({ 'moss.md': `# Moss\n\n${moss.join('\n\n')}\n` });
    const { ask, state } = conversation({ docs_dir: folder });
    await ask('What does moss need?');

    const source = `${path.basename(folder)}/moss.md#moss`;
    assert.equal((await state()).messages.at(-1)?.text, `${moss.join('\n\n')} [${source}]`);
  });

  it('asks a person when it is unsure, and answers once approved', async () => {
    const { ask, resume, next, state } = conversation({ docs_dir: await purgingDocs() });
    const request = requestIn(await ask(unsure));

    assert.equal(request.question, unsure);
    assert.equal(request.reason, 'The best passage says nothing about “mars”.');
    assert.deepEqual(
      request.allowed.map(({ resume }) => resume.decision),
      ['approve', 'edit', 'reject'],
    );
    assert.ok(
      request.passages.every(
        ({ source, excerpt }) => source.endsWith('/purging.md#purging') && excerpt.length > 0,
      ),
    );
    assert.deepEqual(await next(), ['approve']);

    assert.ok(answerTokens(await resume({ decision: 'approve' })).length > 20);
    assert.deepEqual(await next(), []);
    assert.ok((await state()).citations.length > 0);
  });

  it('says that it does not know when the passages are rejected', async () => {
    const { ask, resume, state } = conversation({ docs_dir: await purgingDocs() });
    await ask(unsure);
    await resume({ decision: 'reject' });

    assert.equal(
      (await state()).messages.at(-1)?.text,
      `I don't know: the documents do not answer “${unsure}”.`,
    );
    assert.deepEqual((await state()).citations, []);
  });

  it('searches again when a person rephrases the question', async () => {
    const { ask, resume, state } = conversation({ docs_dir: await purgingDocs() });
    await ask(unsure);
    await resume({ decision: 'edit', question: 'Who may purge traces?' });

    const { messages, citations } = await state();
    assert.equal(messages.filter(({ type }) => type === 'human').length, 2);
    assert.equal(citations.length, 1);
  });

  it('asks once more, with the reason, when a decision is not one of the allowed ones', async () => {
    const { ask, resume } = conversation({ docs_dir: await purgingDocs() });
    await ask(unsure);
    const again = requestIn(await resume({ decision: 'perhaps' }));

    assert.match(again.problem ?? '', /perhaps.*none of the allowed/);
    assert.ok(answerTokens(await resume({ decision: 'approve' })).length > 20);
  });

  it('asks about every answer when the threshold is 1, and about none when it is 0', async () => {
    const docs_dir = await purgingDocs();
    requestIn(await conversation({ docs_dir, approval_threshold: 1 }).ask('What is purging?'));
    assert.ok(answerTokens(await conversation({ docs_dir, approval_threshold: 0 }).ask(unsure)).length > 20);
  });

  it('is unsure about the question that its README proposes, on the docs of this project', async () => {
    requestIn(await conversation().ask(unsure));
  });

  it('does not ask a person when it finds nothing', async () => {
    const { ask, state } = conversation();
    await ask('Quetzalcoatlus wingspan?');
    assert.match((await state()).messages.at(-1)?.text ?? '', /^I don't know/);
  });

  it('understands a short question in the context of the previous one', async () => {
    const { ask, state } = conversation();
    await ask('What is a thread?');
    await ask('And which statuses does it have?');

    const { messages } = await state();
    assert.equal(messages.filter(({ type }) => type === 'human').length, 2);
    assert.deepEqual(messages.at(-3)?.tool_calls?.[0]?.args, { query: 'thread statuses' });
  });

  it('greets without a search', async () => {
    const { ask, state } = conversation();
    await ask('Hello!');
    assert.deepEqual(
      (await state()).messages.map(({ type }) => type),
      ['human', 'ai'],
    );
  });

  it('sees changes in its folder immediately', async () => {
    const folder = await folderWith({ 'tea.md': '# Tea\n\nTea is green.\n' });
    const { ask, state } = conversation({ docs_dir: folder });
    await ask('What is tea?');
    assert.match((await state()).messages.at(-1)?.text ?? '', /^Tea is green\. /);

    await writeFile(path.join(folder, 'tea.md'), '# Tea\n\nTea is black by now.\n');
    await ask('What is tea?');
    assert.match((await state()).messages.at(-1)?.text ?? '', /^Tea is black by now\. /);
  });

  it('names the context value that is wrong', async () => {
    await assert.rejects(
      conversation({ docs_dir: './nowhere' }).ask(sure),
      /docs_dir: there is no folder .*nowhere/,
    );
    await assert.rejects(
      conversation({ docs_dir: await folderWith({}) }).ask(sure),
      /docs_dir: .* no Markdown/,
    );
    await assert.rejects(conversation({ max_passages: 0 }).ask(sure), /max_passages/);
  });

  describe('cutting a file into passages', () => {
    it('knows the line, the headings and the anchor of each', () => {
      const text =
        '---\ntitle: x\n---\n\n# One\n\nFirst.\n\n## Two `x`\r\n\r\n```sh\n# no heading\n```\n\n## Two `x`\n\nLast.\n';
      assert.deepEqual(markdown.passagesOf('a.md', text), [
        { source: 'a.md#one', file: 'a.md', heading: 'One', line: 5, text: 'First.' },
        {
          source: 'a.md#two-x',
          file: 'a.md',
          heading: 'One › Two x',
          line: 9,
          text: '```sh\n# no heading\n```',
        },
        { source: 'a.md#two-x-1', file: 'a.md', heading: 'One › Two x', line: 15, text: 'Last.' },
      ]);
    });

    it('cuts a long section between its blocks', () => {
      const paragraph = `${'word '.repeat(150).trim()}.`;
      const passages = markdown.passagesOf('a.md', `# Long\n\n${paragraph}\n\n${paragraph}\n`);
      assert.deepEqual(
        passages.map(({ source, line }) => [source, line]),
        [
          ['a.md#long', 1],
          ['a.md#long', 5],
        ],
      );
    });
  });
});

/** The streamed tokens of the answer. */
function answerTokens(events: [mode: string, data: unknown][]): string[] {
  return events
    .filter(([mode]) => mode === 'messages')
    .map(([, data]) => streamedMessage.parse(data))
    .filter(([, { langgraph_node }]) => langgraph_node === 'answer')
    .map(([message]) => message.text);
}

/** The request for approval that a run stopped at. */
function requestIn(events: [mode: string, data: unknown][]) {
  const last = interrupted.parse(events.at(-1)?.[1]);
  assert.equal(last.__interrupt__.length, 1);
  assert.ok(last.__interrupt__[0]);
  return last.__interrupt__[0].value;
}
