import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { runtimeLines } from '../../src/cli/render/deployment.ts';
import { graphLines } from '../../src/cli/render/graph.ts';
import { oneLine } from '../../src/cli/render/one-line.ts';
import { placeText } from '../../src/cli/render/places.ts';
import { RunPrinter } from '../../src/cli/render/run-events.ts';
import { traceLines } from '../../src/cli/render/trace-tree.ts';
import { TRACE_COLUMNS } from '../../src/cli/render/traces.ts';
import { Terminal } from '../../src/cli/terminal/terminal.ts';
import { readRunEvent } from '../../src/client/run-events.ts';
import { errorHead, partsOfError } from '../../src/terms/error-text.ts';
import { recordedErrors } from '../support/recorded-errors.ts';

/** A terminal whose output a test reads. */
function terminal(tty: { readonly isTTY?: boolean; readonly columns?: number } = {}) {
  const stdout = Object.assign(new PassThrough(), tty);
  const made = new Terminal({ stdout, stderr: new PassThrough(), environment: { NO_COLOR: '1' } });
  return Object.assign(made, { text: () => String(stdout.read() ?? '') });
}

const event = (name: string, data: unknown) => readRunEvent({ id: undefined, event: name, data });
const message = (fields: object) =>
  event('messages', [{ type: 'ai', id: 'm', content: '', ...fields }, { langgraph_node: 'answer' }]);

describe('a run in the terminal', () => {
  function shown(...events: ReturnType<typeof event>[]): string {
    const screen = terminal();
    const printer = new RunPrinter(screen);
    for (const one of events) printer.show(one);
    screen.freshLine();
    return screen.text();
  }

  it('shows the tokens of a message on one line, and everything else on its own line', () => {
    const text = shown(
      message({ content: 'Ships ' }),
      message({ content: [{ type: 'text', text: 'are' }] }),
      event('custom', { n: 1 }),
      message({ content: ' safe.' }),
      event('updates', { answer: { messages: [] } }),
    );
    assert.equal(text, 'Ships are\n• {"n":1}\n safe.\n✓ answer messages\n');
  });

  it('starts a new line for each message', () => {
    const text = shown(message({ content: 'one' }), message({ id: 'n', content: 'two' }));
    assert.equal(text, 'one\ntwo\n');
  });

  it('shows a tool call while it streams, and the tool’s result on one line', () => {
    const text = shown(
      message({ tool_call_chunks: [{ name: 'search', args: '{"query":', index: 0 }] }),
      message({ tool_call_chunks: [{ args: '"ships"}', index: 0 }] }),
      event('messages', [{ type: 'tool', name: 'search', content: 'three\nships' }, {}]),
    );
    assert.equal(text, '→ search {"query":"ships"}\n← search three ships\n');
  });

  it('concatenates LangChain.js chunks, which have the type of whole messages', () => {
    const piece = (content: string, ...tool_call_chunks: object[]) =>
      message({ content, tool_calls: [], tool_call_chunks });
    const call = (args: string, name?: string) =>
      piece('', { name, args, index: 0, type: 'tool_call_chunk' });
    const text = shown(piece('Ships '), piece('are.'), call('{"q":', 'search'), call('1}'), piece(''));
    assert.equal(text, 'Ships are.\n→ search {"q":1}\n');
  });

  it('is truncated to fit the terminal, or 80 columns if its width is unknown, and is whole in a pipe', () => {
    const found = `${'ship '.repeat(40)}harbor`;
    const onScreen = (screen: ReturnType<typeof terminal>) => {
      const printer = new RunPrinter(screen);
      printer.show(event('messages', [{ type: 'tool', name: 'look', content: found }, {}]));
      printer.show(event('custom', found));
      printer.show(event('updates', { look: found }));
      return screen.text().trimEnd().split('\n');
    };
    assert.deepEqual(onScreen(terminal()), [`← look ${found}`, `• ${found}`, `✓ look ${found}`]);
    for (const columns of [0, 60]) {
      for (const line of onScreen(terminal({ isTTY: true, columns }))) {
        assert.ok(line.endsWith('…') && line.length > 50, line);
        assert.ok(line.length <= (columns || 80), line);
      }
    }
  });

  it('does not repeat the user’s message', () => {
    assert.equal(shown(event('messages', [{ type: 'human', content: 'Hello' }, {}])), '');
  });

  it('indents the steps of subgraphs', () => {
    assert.equal(shown(event('updates|research:1', { plan: { steps: [] } })), '  ✓ plan steps\n');
  });

  it('shows only the name of a node that changed nothing', () => {
    assert.equal(shown(event('updates', { plan: null, look: {} })), '✓ plan\n✓ look\n');
  });

  it('says that a run continues after a crash', () => {
    assert.match(shown(event('metadata', { run_id: 'r', attempt: 2 })), /attempt 2/);
  });

  it('removes control sequences', () => {
    const text = shown(
      message({ content: '\u001b[2Jred\u0007\r\nline' }),
      event('custom', '\u001b]0;title\u0007x'),
      event('error', { error: 'E\u001b[31m', message: '\u009b2Jm' }),
    );
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not come through
    assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
    assert.match(text, /^red\nline\n/);
  });
});

describe('a trace in the terminal', () => {
  const span = (name: string, more: object = {}) => ({
    id: name,
    name,
    run_type: 'chain',
    status: 'success',
    start_time: '2026-11-21T10:00:00.000',
    end_time: '2026-11-21T10:00:00.250Z',
    child_runs: [],
    ...more,
  });
  const { colors } = terminal();

  it('is a tree with types, durations and tokens, and its feedback below', () => {
    const tree = span('agent', {
      status: 'error',
      end_time: '2026-11-21T10:00:01.500Z',
      child_runs: [
        span('plan', { child_runs: [span('model', { run_type: 'llm', total_tokens: 7 })] }),
        span('answer', { status: 'error', child_runs: [span('tool', { status: 'error' })] }),
        span('approve', { status: 'error' }),
        span('abandoned', { status: 'error', end_time: '2026-11-21T10:01:30.000' }),
        span('waiting', { status: 'pending', end_time: null }),
      ],
    });
    const feedback = {
      id: 'f',
      key: 'helpful',
      score: 1,
      value: null,
      comment: 'Right.',
      correction: null,
      created_at: '',
      modified_at: '',
    };
    const errors = new Map([
      ['agent', 'the tool failed\n\nError: the tool failed\n    at sail (a.ts:1:2)'],
      ['answer', "ValueError('no wind')Traceback (most recent call last):\n  File …"],
      ['tool', "ValueError('no wind')Traceback (most recent call last):\n  File …"],
      ['approve', "GraphInterrupt((Interrupt(value='ok?'),))Traceback"],
      ['abandoned', 'Aborted\n\nError: Aborted\n    at sail (a.ts:1:2)'],
    ]);
    assert.deepEqual(traceLines(tree, [feedback], { colors, errors }), [
      '✗ agent chain, 1.50 s  Error: the tool failed',
      '├─ ✓ plan chain, 250 ms',
      '│  └─ ✓ model llm, 250 ms, 7 tokens, no price',
      '├─ ✗ answer chain, 250 ms',
      "│  └─ ✗ tool chain, 250 ms  ValueError('no wind')",
      '├─ ‖ approve chain, 250 ms, interrupted',
      '├─ ■ abandoned chain, 1 m 30 s, cancelled',
      '└─ … waiting chain',
      '★ helpful 1 “Right.”',
    ]);
  });

  it('has the type and the first line of each recorded error, and its stack without them', () => {
    for (const { error, way } of recordedErrors()) {
      const tree = span('agent', { status: 'error' });
      const [line, ...stack] = traceLines(tree, [], {
        colors,
        errors: new Map([['agent', error]]),
        showStacks: true,
      });
      assert.ok(line?.includes(`  ${oneLine(errorHead(error))}`), `${way}: ${line}`);
      assert.equal(stack.length > 0, partsOfError(error).stack !== '', way);
      const column = TRACE_COLUMNS.find(({ title }) => title === 'ERROR');
      assert.equal(column?.cell({ id: 'agent', status: 'error', error }), errorHead(error));
    }
  });

  it('shows models, and inputs and outputs below their spans as messages or JSON', () => {
    const tree = span('agent', {
      child_runs: [span('model', { run_type: 'llm' }), span('look', { run_type: 'tool' })],
    });
    const human = { id: ['langchain_core', 'messages', 'HumanMessage'], kwargs: { content: 'Where to?' } };
    const call = { name: 'sail', args: { to: 'Kiel' } };
    const serialized = (name: string, kwargs: object) => ({
      lc: 1,
      type: 'constructor',
      id: ['langchain_core', 'messages', name],
      kwargs,
    });
    const contents = new Map([
      [
        'agent',
        {
          inputs: { messages: [{ role: 'user', content: 'Where to?' }], wind: 3 },
          outputs: { port: 'Kiel' },
        },
      ],
      [
        'model',
        {
          inputs: { messages: [[human]] },
          outputs: {
            generations: [
              [{ text: '', message: { type: 'ai', content: 'There:\nlook', tool_calls: [call] } }],
            ],
          },
          extra: { metadata: { ls_model_name: 'compass-1' } },
        },
      ],
      [
        'look',
        {
          inputs: { asked: [serialized('HumanMessage', { content: 'Where to?' })] },
          outputs: { output: serialized('ToolMessage', { content: 'Kiel', tool_call_id: 'c' }) },
        },
      ],
    ]);
    const lines = [
      '✓ agent chain, 250 ms',
      '│  < user: Where to?',
      '│  < {"wind":3}',
      '│  > {"port":"Kiel"}',
      '├─ ✓ model llm, compass-1, 250 ms',
      '│     < human: Where to?',
      '│     > ai: There:',
      '│       look',
      '│       → sail {"to":"Kiel"}',
      '└─ ✓ look tool, 250 ms',
      '      < {"asked":[{"type":"human","content":"Where to?"}]}',
      '      > tool: Kiel',
    ];
    assert.deepEqual(traceLines(tree, [], { colors, contents }), lines);
    assert.equal(traceLines(tree, [], { colors, contents, maxContentLength: 5 })[1], '│  < user:…');
  });
});

describe('the graphs of a deployment in the terminal', () => {
  it('share a line when they fail to load for the same reason', () => {
    const failed = (graph_id: string, message: string) =>
      ({ status: 'failed', graph_id, error: { name: 'Error', message } }) as const;
    const lines = runtimeLines(
      {
        deployment_id: 'd',
        deployment_url: 'http://127.0.0.1:2024',
        name: 'agents',
        config_path: '/agents/langgraph.json',
        runtime: {
          state: 'ready',
          language: 'node',
          language_version: '24.0.0',
          langgraph_version: '1.7.3',
          loader: 'tsx',
          graphs: [
            failed('one', 'Cannot find it.'),
            { status: 'loaded', graph_id: 'two', nodes: {} },
            failed('three', 'Cannot find it.'),
          ],
        },
      },
      terminal().colors,
    );
    assert.deepEqual(lines, ['✗ one, three Cannot find it.', '✓ two']);
  });
});

describe('the location of an error in the terminal', () => {
  it('is in the source of a deployment, not in the folder that it was built in', () => {
    const built = `/data/deployments/${crypto.randomUUID()}/builds/16bc6be393aaba86ccd0`;
    const place = (file: string) => placeText({ file, line: 3, name: 'ask' });
    assert.equal(place(`${built}/src/agent.ts`), 'at src/agent.ts:3 in ask');
    assert.equal(place(`C:${built}/src/agent.ts`.replaceAll('/', '\\')), 'at src\\agent.ts:3 in ask');
    assert.equal(place('/projects/builds/agent.ts'), 'at /projects/builds/agent.ts:3 in ask');
  });
});

describe('a graph in the terminal', () => {
  it('lists its edges in the order in which a run reaches them', () => {
    const edge = (source: string, target: string, conditional = false) => ({ source, target, conditional });
    const edges = [
      edge('approve', 'write'),
      edge('approve', 'research', true),
      edge('left', '__end__'),
      edge('research', 'approve'),
      edge('write', '__end__'),
      edge('__start__', 'research'),
    ];
    assert.deepEqual(graphLines({ edges }, terminal().colors), [
      '__start__ ──▶ research',
      'research ──▶ approve',
      'approve ──▶ write',
      'approve ┄┄▶ research',
      'write ──▶ __end__',
      'left ──▶ __end__',
    ]);
    // LangGraph numbers nodes whose ID is a UUID.
    const numbered = [
      { source: '__start__', target: 1 },
      { source: 1, target: '__end__' },
    ];
    assert.deepEqual(graphLines({ edges: numbered }, terminal().colors), [
      '__start__ ──▶ 1',
      '1 ──▶ __end__',
    ]);
  });
});
