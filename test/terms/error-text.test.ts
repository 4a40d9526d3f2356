import assert from 'node:assert/strict';
import { errorHead, partsOfError } from '../../src/terms/error-text.ts';
import { recordedErrors } from '../support/recorded-errors.ts';

interface Expected {
  /** In the error of a trace, and, unless `ofStack` differs, in the stack alone. */
  readonly message: string;
  readonly ofStack?: string;
  /** The beginnings of the first and the last line of its stack; absent when it has none. */
  readonly stack?: readonly [string, string];
  readonly head?: string;
}

const issues = `ZodError: [
  {
    "expected": "string",
    "code": "invalid_type",
    "path": [
      "port"
    ],
    "message": "Invalid input: expected string, received undefined"
  },
  {
    "expected": "number",
    "code": "invalid_type",
    "path": [
      "legs",
      0
    ],
    "message": "Invalid input: expected number, received string"
  }
]`;
const difference = `AssertionError [ERR_ASSERTION]: Expected values to be strictly deep-equal:
+ actual - expected

  {
    legs: [
+     'Rome'
-     'Athens'
    ]
  }`;
const validation = `2 validation errors for Plan
port
  Field required [type=missing, input_value={'legs': ['Rome']}, input_type=dict]
    For further information visit https://errors.pydantic.dev/2.14/v/missing
legs.0
  Input should be a valid integer, unable to parse string as an integer [type=int_parsing, input_value='Rome', input_type=str]
    For further information visit https://errors.pydantic.dev/2.14/v/int_parsing`;
const workersTraceback = `Traceback (most recent call last):
  File "/home/ada/project/failing.py", line 40, in traceback_in_message
    type_and_message()
  File "/home/ada/project/failing.py", line 27, in type_and_message
    raise ValueError("no such port")
ValueError: no such port`;
const troubleshooting = 'Troubleshooting URL: https://docs.langchain.com/oss/javascript/langgraph';
const help = '\\nFor troubleshooting, visit: https://docs.langchain.com/oss/python/langgraph/errors';
const at = '    at ';
const TRACEBACK = 'Traceback (most recent call last):';

const EXPECTED: Readonly<Record<string, Expected>> = {
  'node: a type and a message': { message: 'TypeError: no such port', stack: [at, at] },
  'node: a type of the user': { message: 'PortClosedError: The port of Rome is closed.', stack: [at, at] },
  'node: a message of several paragraphs': {
    message: 'RangeError: The plan is too long.\n\nIt has 12 legs:\nRome, Athens, Corfu.',
    stack: [at, at],
  },
  'node: a message with lines that begin with at': {
    message: 'Error: The plan cannot be read:\n    at noon: swim (slowly)\n  at night: rest\nCorrect it.',
    stack: [`${at}a message`, at],
  },
  'node: a message that is the traceback of another program': {
    message: `Error: plan.py failed:\n${TRACEBACK}\n  File "/srv/plan.py", line 3, in plan\n    return legs[9]\nIndexError: list index out of range`,
    stack: [`${at}a message`, at],
  },
  'node: a cause': { message: 'Error: The plan is not valid JSON.', stack: [`${at}a cause (`, at] },
  'node: a cause of several lines': { message: 'Error: Nothing was booked.', stack: [at, at] },
  'node: a refused connection': {
    message: 'TypeError: fetch failed',
    stack: ['Caused by: Error: connect ECONNREFUSED', `${at}TCPConnectWrap`],
  },
  'node: several errors': { message: 'AggregateError: Two legs failed.', stack: [at, at] },
  'node: several errors without a message': { message: 'AggregateError: All promises were rejected' },
  'node: no message': { message: 'Error', stack: [`${at}no message (`, at] },
  'node: a message that was changed later': { message: 'Error: Step plan: no wind', stack: [at, at] },
  'node: a message that was changed after its stack was read': {
    message: 'Step plan: no wind',
    ofStack: 'Error: no wind',
    stack: ['Error: no wind', at],
  },
  'node: no stack': { message: 'There is no wind.\n\nWait for it.' },
  'node: a text': { message: 'There is no wind.' },
  'node: zod': {
    message: issues,
    stack: [at, at],
    head: 'ZodError: port: Invalid input: expected string, received undefined; legs.0: Invalid input: expected number, received string',
  },
  'node: a failed assertion': { message: difference, stack: [`${at}a failed assertion`, at] },
  // The `langsmith` SDK sends no stack.
  'node: a function that langsmith traces': { message: 'TypeError: no such port' },
  'node: a conflict of updates in LangGraph': {
    message: `InvalidUpdateError: Invalid update for channel "leg" with values ["Rome","Athens"]: LastValue can only receive one value per step.\n\n${troubleshooting}/INVALID_CONCURRENT_GRAPH_UPDATE/`,
    stack: [`${at}_applyWrites`, at],
  },
  'node: too many steps in LangGraph': {
    message: `GraphRecursionError: Recursion limit of 5 reached without hitting a stop condition. You can increase the limit by setting the "recursionLimit" config key.\n\n${troubleshooting}/GRAPH_RECURSION_LIMIT/`,
    stack: [`${at}CompiledStateGraph`, at],
  },
  'python: a type and a message': {
    message: "ValueError('no such port')",
    ofStack: 'ValueError: no such port',
    stack: [TRACEBACK, 'ValueError: no such port'],
  },
  'python: a message of several paragraphs': {
    message: "ValueError('The plan is too long.\\n\\nIt has 12 legs:\\nRome, Athens, Corfu.')",
    ofStack: 'ValueError: The plan is too long.\n\nIt has 12 legs:\nRome, Athens, Corfu.',
    stack: [TRACEBACK, 'Rome, Athens, Corfu.'],
  },
  'python: a message with lines that begin with at': {
    message:
      "ValueError('The plan cannot be read:\\n    at noon: swim (slowly)\\n  at night: rest\\nCorrect it.')",
    ofStack:
      'ValueError: The plan cannot be read:\n    at noon: swim (slowly)\n  at night: rest\nCorrect it.',
    stack: [TRACEBACK, 'Correct it.'],
  },
  'python: a message that is the traceback of another program': {
    message: `RuntimeError('The worker failed:\\n${workersTraceback.replaceAll('\n', '\\n')}\\n')`,
    ofStack: `RuntimeError: The worker failed:\n${workersTraceback}`,
    stack: [TRACEBACK, 'ValueError: no such port'],
  },
  'python: another exception while one is handled': {
    message: "ValueError('no such port')",
    ofStack: 'ValueError: no such port',
    stack: [TRACEBACK, 'ValueError: no such port'],
  },
  'python: a direct cause': {
    message: "ValueError('no such port')",
    ofStack: 'ValueError: no such port',
    stack: [TRACEBACK, 'ValueError: no such port'],
  },
  'python: several errors': {
    message:
      "ExceptionGroup('unhandled errors in a TaskGroup', [ValueError('no wind in Rome'), ValueError('no wind in Athens')])",
    ofStack: 'ExceptionGroup: unhandled errors in a TaskGroup (2 sub-exceptions)',
    stack: ['  + Exception Group Traceback (most recent call last):', '    +----'],
  },
  'python: a syntax error': {
    message: "SyntaxError('invalid syntax', ('plan.py', 1, 8, 'legs = = 3\\n', 1, 9))",
    ofStack: 'SyntaxError: invalid syntax',
    stack: [TRACEBACK, 'SyntaxError: invalid syntax'],
  },
  'python: notes': {
    message: "ValueError('no such port')",
    ofStack: 'ValueError: no such port\nIt was asked for by the plan.\nPorts are listed in ports.json.',
    stack: [TRACEBACK, 'Ports are listed'],
  },
  'python: no message': { message: 'ValueError()', ofStack: 'ValueError', stack: [TRACEBACK, 'ValueError'] },
  'python: a failed assertion': {
    message: 'AssertionError()',
    ofStack: 'AssertionError',
    stack: [TRACEBACK, 'AssertionError'],
  },
  'python: a representation of several lines': {
    message: 'PortClosedError:\n  Rome is closed.',
    ofStack: 'failing.PortClosedError: Rome is closed.',
    stack: [TRACEBACK, 'failing.PortClosedError'],
  },
  'python: pydantic': {
    message: validation,
    ofStack: `pydantic_core._pydantic_core.ValidationError: ${validation}`,
    stack: [TRACEBACK, '    For further information'],
  },
  'python: not JSON': {
    message: `JSONDecodeError('Expecting property name enclosed in double quotes: line 1 column 2 (char 1)')`,
    ofStack:
      'json.decoder.JSONDecodeError: Expecting property name enclosed in double quotes: line 1 column 2 (char 1)',
    stack: [TRACEBACK, 'json.decoder.JSONDecodeError'],
  },
  'python: a function that langsmith traces': {
    message: "ValueError('no such port')",
    ofStack: 'ValueError: no such port',
    stack: [TRACEBACK, 'ValueError: no such port'],
  },
  'python: a conflict of updates in LangGraph': {
    message: `InvalidUpdateError("At key 'leg': Can receive only one value per step. Use an Annotated key to handle multiple values.${help}/INVALID_CONCURRENT_GRAPH_UPDATE")`,
    stack: [TRACEBACK, 'For troubleshooting'],
  },
  'python: too many steps in LangGraph': {
    message: `GraphRecursionError('Recursion limit of 5 reached without hitting a stop condition. You can increase the limit by setting the \`recursion_limit\` config key.${help}/GRAPH_RECURSION_LIMIT')`,
    stack: [TRACEBACK, 'For troubleshooting'],
  },
};

const recorded = recordedErrors().map((one) => ({ ...one, name: `${one.language}: ${one.way}` }));

function linesAround(stack: string): [string, string] {
  const lines = stack.split('\n');
  return [lines[0] ?? '', lines.at(-1) ?? ''];
}

describe('the text of a recorded error', () => {
  it('is expected here for each that is recorded', () => {
    assert.deepEqual(recorded.map(({ name }) => name).toSorted(), Object.keys(EXPECTED).toSorted());
  });

  for (const { name, error, stack: alone } of recorded) {
    const { message, ofStack = message, stack, head } = EXPECTED[name] ?? { message: 'not expected' };
    it(`is divided into its message and its stack: ${name}`, () => {
      const parts = partsOfError(error);
      assert.equal(parts.message, message);
      if (stack === undefined) assert.equal(parts.stack, '');
      else {
        const [first, last] = linesAround(parts.stack);
        assert.ok(first.startsWith(stack[0]), first);
        assert.ok(last.startsWith(stack[1]), last);
        assert.doesNotMatch(parts.stack, /\n{4}/);
      }
      assert.equal(errorHead(error), head ?? message.split('\n')[0]);
      assert.ok(!errorHead(error).includes('\n'));
    });

    if (alone !== undefined)
      it(`has the same message if only its stack is sent: ${name}`, () => {
        assert.equal(partsOfError(alone).message, ofStack);
      });
  }

  it('is divided in the same way with the paths of Windows', () => {
    for (const { name, error } of recorded) {
      const onWindows = error
        .replaceAll('file:///home', 'file:///C:/home')
        .replaceAll('"/home', '"C:\\home')
        .replaceAll('(/home', '(C:\\home');
      const { message } = partsOfError(onWindows);
      if (!name.endsWith('another program')) assert.equal(message, EXPECTED[name]?.message, name);
      assert.equal(partsOfError(onWindows).stack === '', EXPECTED[name]?.stack === undefined, name);
    }
  });

  it('of Java and of .NET, which other tracers send, ends above its first frame', () => {
    const java = `java.lang.IllegalStateException: no wind
\tat com.example.sail.Planner.plan(Planner.java:42)
\tat com.example.sail.Main.main(Main.java:7)
Caused by: java.io.IOException: closed
\t... 2 more`;
    assert.equal(partsOfError(java).message, 'java.lang.IllegalStateException: no wind');
    const net = `System.InvalidOperationException: no wind\n   at Sail.Planner.Plan(String port) in /srv/Planner.cs:line 42`;
    assert.equal(partsOfError(net).message, 'System.InvalidOperationException: no wind');
  });

  it('stays whole when it only looks like one', () => {
    for (const text of [
      '',
      'no',
      'Error: thrown as text',
      'no stack\n\nbut a second paragraph',
      'see\n\nsee',
    ])
      assert.deepEqual(partsOfError(text), { message: text, stack: '' });
    assert.deepEqual(
      partsOfError('Traceback (most recent call last):\n  File "/a.py", line 1\nKeyError: 17'),
      {
        message: 'KeyError: 17',
        stack: 'Traceback (most recent call last):\n  File "/a.py", line 1\nKeyError: 17',
      },
    );
  });
});
