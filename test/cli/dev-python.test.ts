import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { cli, startCli } from '../support/cli.ts';
import { dataFolder } from '../support/data-folder.ts';
import { requirePython, servablePythonProject } from '../support/python-projects.ts';
import { makeWheel } from '../support/wheel.ts';

const run = promisify(execFile);

describe('agent-harbor dev of Python graphs', function () {
  this.timeout(90_000);

  it('shows the Python and how it was found, accepts another with --python, and shows what loads slowly', async function () {
    const python = await requirePython(this, 'langgraph-1.2');
    const files = {
      'graph.py': [
        'from langgraph.graph import StateGraph',
        'graph = StateGraph(dict).add_node("a", lambda state: state).set_entry_point("a").compile()',
      ].join('\n'),
      'langgraph.json': JSON.stringify({ graphs: { mine: './graph.py:graph' } }),
    };
    await using project = await servablePythonProject(python, { empty: true, files });
    // An empty environment.
    const environment = path.join(project.folder, '.venv');
    const line = /\d+\.\d+/.exec((await run(python, ['--version'])).stdout)?.[0] ?? '';
    await rm(environment);
    await run(python, ['-m', 'venv', '--without-pip', environment]);
    await using data = await dataFolder();
    const dev = (...args: string[]) =>
      startCli(['dev', '--port', '0', '--data-dir', data.path, ...args], { cwd: project.folder });
    {
      await using lacking = dev();
      await lacking.said(/Python 3\.\d+\.\d+ \(.*\.venv.*python, \.venv of the project\), no LangGraph\n/);
      await lacking.said(
        /mine LangGraph is not installed in .* Run this in .*python -m pip install langgraph/,
      );
      // The command in the message, with a wheel that depends on the cached packages.
      const site = path.join(path.dirname(path.dirname(python)), 'lib', `python${line}`, 'site-packages');
      const wheel = await makeWheel(project.folder, 'cached', { 'cached.pth': `${site}\n` });
      await run(python, ['-m', 'pip', '--python', environment, 'install', '--no-index', wheel]);
      await lacking.said(/Changed: \.venv\. Reloading the graphs\.\n(.*\n)*.*Reloaded: mine\./);
      await lacking.interrupt();
    }
    await using chosen = dev('--python', python);
    await chosen.said(/Python 3\.\d+\.\d+ \(.*python, chosen\), LangGraph 1\.2/);
    await chosen.said(/✓ mine/);
    await chosen.interrupt();
    await using slow = await servablePythonProject(python, {
      empty: true,
      files: { ...files, 'graph.py': `import time\n\ntime.sleep(6)\n${files['graph.py']}` },
    });
    await using waiting = startCli(['dev', '--port', '0', '--data-dir', data.path, '--python', python], {
      cwd: slow.folder,
    });
    await waiting.said(/✓ mine/);
    const { stdout } = await waiting.interrupt();
    assert.match(
      stdout,
      /^Loading the graphs of langgraph\.json…\n(.*\n)*.*Still loading the graphs after 5 s: graph\.py:3: time\.sleep\(6\)\.\n(.*\n)*Agent /,
    );
    const wrong = await dev('--python', 'python-of-nobody').ended();
    assert.equal(wrong.code, 2);
    assert.match(wrong.stderr, /--python: python-of-nobody not found here or on the PATH/);
  });

  it('lets agent-harbor run show where a node of the project failed', async function () {
    const python = await requirePython(this, 'langgraph-1.2');
    const graph = [
      // Projects that trace elsewhere turn LangSmith off in this way.
      'import json, os; os.environ.setdefault("LANGCHAIN_TRACING_V2", "false")',
      'from langgraph.graph import StateGraph',
      'def look(state):',
      '    return json.loads("no wind")',
      'graph = StateGraph(dict).add_node("look", look).set_entry_point("look").compile()',
      'from langchain_core.runnables import RunnableLambda',
      'def ask(state):',
      // Fails in a separate span, in which no code of the project runs.
      '    return RunnableLambda(json.loads).invoke("no wind")',
      'outer = StateGraph(dict).add_node("ask", ask).set_entry_point("ask").compile()',
    ];
    const files = {
      'graph.py': graph.join('\n'),
      'langgraph.json': JSON.stringify({ graphs: { mine: './graph.py:graph', outer: './graph.py:outer' } }),
    };
    await using project = await servablePythonProject(python, { empty: true, files });
    await using data = await dataFolder();
    const where = { cwd: project.folder };
    const { code, stdout, stderr } = await cli(
      ['run', 'mine', '--input', '{}', '--data-dir', data.path],
      where,
    );
    assert.equal(code, 1);
    assert.match(stdout, /^JSONDecodeError: Expecting value: .*\n {2}at graph\.py:4 in look\n$/);
    const id = /To see the trace: agent-harbor trace (\S+)/.exec(stderr)?.[1] ?? '';
    const trace = await cli(['trace', id, '--data-dir', data.path, '--io'], where);
    assert.match(trace.stdout, /JSONDecodeError\(.*\) {2}at graph\.py:4 in look\n/);
    assert.match(
      trace.stdout,
      /\n {6}Traceback \(most recent call last\):\n[\s\S]*File ".*graph\.py", line 4, in look/,
    );
    const outer = await cli(['run', 'outer', '--input', '{}', '--data-dir', data.path], where);
    assert.match(outer.stdout, /^JSONDecodeError: .*\n {2}at graph\.py:8 in ask\n$/);
  });
});
