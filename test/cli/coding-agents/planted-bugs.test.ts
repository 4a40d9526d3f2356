import assert from 'node:assert/strict';
import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { projectRoot } from '../../support/cache.ts';
import { type McpSession, mcpSession } from '../../support/mcp-session.ts';
import { type ModelOrigin, modelOrigin } from '../../support/model-origin.ts';
import { requirePython } from '../../support/python-projects.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

type Change = readonly [from: string, to: string];

interface Bug {
  readonly name: string;
  /** Plants the bug in the correct agent; absent if the input alone makes it fail. */
  readonly plant?: Change;
  readonly question?: string;
  /** The answer to its question, after which it fails. */
  readonly answer?: unknown;
  /** The node that fails; a pattern if any of several may fail first. */
  readonly node: string | RegExp;
  readonly error: RegExp;
  /** Text in the line that fails; absent if LangGraph itself refuses what nodes returned. */
  readonly line?: string;
  /** A wrong fix of the planted bug. */
  readonly wrong: Change;
  /** The right fix; by default, it removes the planted bug. */
  readonly right?: Change;
  readonly proved?: 'past_failure';
}

const JAVASCRIPT: readonly Bug[] = [
  {
    name: 'wrong tool arguments',
    plant: ['push(weather({ city, day }))', 'push(weather({ town: city, day }))'],
    node: 'forecast',
    error: /No weather for undefined/,
    line: 'throw new RangeError(`No weather for ${city}.`)',
    wrong: ['weather({ town: city, day })', 'weather({ place: city, day })'],
  },
  {
    name: 'an off-by-one in a loop',
    plant: ['day <= days;', 'day <= days + 1;'],
    node: 'forecast',
    error: /No weather for day 4/,
    line: 'No weather for day',
    wrong: ['let day = 1; day <= days + 1;', 'let day = 0; day <= days;'],
  },
  {
    name: 'a bad parse',
    plant: ["Number(messages.at(-1).replace('answer ', ''))", 'JSON.parse(messages.at(-1))'],
    node: 'parse',
    error: /SyntaxError/,
    line: 'JSON.parse(messages.at(-1))',
    wrong: ['JSON.parse(messages.at(-1))', 'JSON.parse(messages.at(-1).trim())'],
  },
  {
    name: 'a wrong branch',
    plant: ["limits.warm ? 'warm'", 'limits.warm ? limits.hot.name'],
    // LangGraph gives the span of an edge this name.
    node: 'RunnableLambda',
    error: /Cannot read properties of undefined \(reading 'name'\)/,
    line: 'limits.hot.name',
    wrong: ['limits.hot.name', 'limits.heat.name'],
  },
  {
    name: 'a wrong prompt variable',
    plant: ['${question.toUpperCase()}', '${trip.request.toUpperCase()}'],
    node: 'plan',
    error: /ReferenceError: trip is not defined/,
    line: 'trip.request.toUpperCase()',
    wrong: ['trip.request.toUpperCase()', 'trip.query.toUpperCase()'],
    proved: 'past_failure',
  },
];

const PYTHON: readonly Bug[] = [
  {
    name: 'a lost message',
    plant: [', "messages": [text]}', '}'],
    node: 'parse',
    error: /IndexError/,
    line: 'state["messages"][-1].removeprefix',
    wrong: ['state["messages"][-1].removeprefix', 'state["messages"][0].removeprefix'],
  },
  {
    name: 'a missing reducer',
    plant: ['forecasts: Annotated[list[int], operator.add]', 'forecasts: list[int]'],
    node: 'agent',
    error: /InvalidUpdateError/,
    wrong: ['forecasts: list[int]', 'forecasts: Any'],
  },
  {
    name: 'a state that is stale after an interrupt',
    plant: ['day = state["choice"]["day"]', 'day = state["chosen"]["day"]'],
    answer: { day: 2 },
    node: 'say',
    error: /KeyError\('chosen'\)/,
    line: 'day = state["chosen"]["day"]',
    wrong: ['state["chosen"]["day"]', 'state["answer"]["day"]'],
  },
  {
    name: 'a race between parallel branches',
    plant: ['{"forecasts": [max(weather', '{"forecasts": [state["forecasts"][0] + max(weather'],
    node: 'high',
    error: /IndexError/,
    line: 'state["forecasts"][0] + max',
    wrong: ['state["forecasts"][0]', 'state["forecasts"][-1]'],
  },
  {
    name: 'an unhandled tool error',
    question: 'Weather in Atlantis',
    node: /^(low|high)$/,
    error: /KeyError\('Atlantis'\)/,
    line: 'return WEATHER[city][day - 1]',
    wrong: ['WEATHER[city][day - 1]', 'WEATHER[city.lower()][day - 1]'],
    right: ['WEATHER[city][day - 1]', 'WEATHER.get(city, [0, 0, 0])[day - 1]'],
  },
];

const LANGUAGES = [
  { language: 'JavaScript', file: 'agent.mjs', bugs: JAVASCRIPT },
  { language: 'Python', file: 'agent.py', bugs: PYTHON },
] as const;

for (const { language, file, bugs } of LANGUAGES) {
  describe(`a coding agent that fixes an agent in ${language}`, function () {
    this.timeout(180_000);
    let project: Awaited<ReturnType<typeof temporaryFolder>>;
    let session: McpSession;
    let origin: ModelOrigin;
    let whole: string;
    const write = (code: string) => writeFile(path.join(project.path, file), code);

    before(async function () {
      const python = language === 'Python' ? await requirePython(this, 'langgraph-1.2') : undefined;
      project = await temporaryFolder();
      const fixture = path.join(projectRoot, 'test', 'fixtures', 'planted-bugs', file);
      whole = await readFile(fixture, 'utf8');
      await cp(fixture, path.join(project.path, file));
      await symlink(
        path.join(projectRoot, 'node_modules'),
        path.join(project.path, 'node_modules'),
        'junction',
      );
      if (python !== undefined)
        await symlink(path.dirname(path.dirname(python)), path.join(project.path, '.venv'), 'junction');
      origin = await modelOrigin();
      await writeFile(
        path.join(project.path, 'langgraph.json'),
        JSON.stringify({
          graphs: { agent: `./${file}:graph` },
          dependencies: ['.'],
          env: { MODEL_ORIGIN: origin.url },
        }),
      );
      session = await mcpSession(project.path, ['--data-dir', path.join(project.path, '.data')]);
    });
    after(async () => {
      await session?.[Symbol.asyncDispose]();
      await origin?.close();
      await project?.[Symbol.asyncDispose]();
    });

    for (const bug of bugs) {
      it(`finds ${bug.name}, and proves the right fix and not the wrong one`, async () => {
        const { plant, answer, wrong } = bug;
        const planted = plant === undefined ? whole : change(whole, plant);
        await write(planted);
        const input = { question: bug.question ?? 'Weather in Rome' };
        let failed = await session.call('run_graph', { graph: 'agent', input });
        if (answer !== undefined) {
          assert.deepEqual([failed.outcome, failed.questions], ['interrupted', ['Which day?']]);
          failed = await session.call('answer', { thread_id: failed.thread_id, answer });
        }
        assert.equal(failed.outcome, 'error', JSON.stringify(failed));

        // The search starts with a new client, which has not seen the failure.
        const { traces } = await session.call('list_traces', { only_failed: true, limit: 1 });
        assert.equal(Object(traces)[0]?.id, failed.trace_id, JSON.stringify([failed, traces]));
        const id = failed.trace_id;
        const { spans } = await session.call('read_trace', { trace_id: id });
        const [span] = Object(spans);
        if (bug.node instanceof RegExp) assert.match(span.name, bug.node);
        else assert.equal(span.name, bug.node);
        assert.match(span.error, bug.error);
        const line = planted
          .split('\n')
          .findIndex((text) => bug.line !== undefined && text.includes(bug.line));
        assert.equal(span.place, bug.line === undefined ? undefined : `${file}:${line + 1}`);
        const { content } = await session.call('read_trace', { trace_id: id, span_id: span.id });
        assert.equal(Object(content).inputs.question, input.question);

        const reproduced = await session.call('reproduce', { trace_id: id, file: 'bug.agentrun' });
        assert.deepEqual(
          [reproduced.verdict, reproduced.reproduced, reproduced.not_deterministic],
          ['still_failing', true, false],
          JSON.stringify(reproduced),
        );
        const asked = origin.requests;
        await write(change(planted, wrong));
        const refused = await session.call('prove', { file: 'bug.agentrun' });
        assert.equal(refused.proved, false, JSON.stringify(refused));
        await write(bug.right === undefined ? whole : change(planted, bug.right));
        const proved = await session.call('prove', { file: 'bug.agentrun' });
        assert.deepEqual(
          [proved.verdict, proved.proved],
          [bug.proved ?? 'fixed', true],
          JSON.stringify(proved),
        );
        assert.equal(origin.requests, asked, 'nothing is sent');
      });
    }

    it('is answered in at most 8,500 characters', () => {
      assert.ok(session.longest > 100 && session.longest <= 8_500, String(session.longest));
    });
  });
}

function change(code: string, [from, to]: Change): string {
  assert.ok(code.includes(from), from);
  return code.replace(from, () => to);
}
