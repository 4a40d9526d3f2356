import assert from 'node:assert/strict';
import { type GivenOptions, NextCommands } from '../../../src/cli/render/next-commands.ts';

const answers = (given: GivenOptions, ...questions: { id?: string; value: unknown }[]) =>
  new NextCommands(given, 'linux').answer('travel', 't1', questions);

describe('the commands that are suggested next', () => {
  it('repeat the address of the agent, but no values of headers or configuration', () => {
    const given = {
      config: 'my agents/langgraph.json',
      connection: 'local',
      header: ['Authorization: Bearer hush', '@headers'],
      dataDir: '/data',
      streamMode: ['custom', 'updates'],
      context: '{"who": "me"}',
      configurable: '{"key": "hush"}',
      record: 'trip.agentrun',
    };
    assert.deepEqual(answers(given, { value: 'Really?' }), [
      "agent-harbor run travel --thread t1 --resume '<answer>' --config 'my agents/langgraph.json'" +
        " --header 'Authorization: …' --header @headers --data-dir /data --stream-mode custom,updates" +
        ` --context '{"who": "me"}' --configurable '…' --record trip.agentrun`,
    ]);
    const elsewhere = new NextCommands({ config: 'langgraph.json', deployment: 'mine', connection: 'eu' });
    assert.equal(
      elsewhere.continueThread('travel', 't1'),
      'agent-harbor run travel --thread t1 --continue --deployment mine --connection eu',
    );
    assert.equal(elsewhere.trace('r1'), 'agent-harbor trace r1 --connection eu');
    assert.equal(elsewhere.purgeJob('j1'), 'agent-harbor purge job j1 --wait --connection eu');
    // It is unknown where the traces of a bare URL are.
    assert.equal(new NextCommands({ deployment: 'http://127.0.0.1:2024' }).hasTraces, false);
  });

  it('approve tool calls as LangChain’s agents in both languages expect it', () => {
    const decisions = `'{"decisions":[{"type":"approve"},{"type":"approve"}]}'`;
    const expected = [`agent-harbor run travel --thread t1 --resume ${decisions}`];
    assert.deepEqual(answers({}, { value: { action_requests: [{}, {}] } }), expected);
    assert.deepEqual(answers({}, { value: { actionRequests: [{}, {}] } }), expected);
  });

  it('answer several questions by their IDs', () => {
    const [command] = answers({}, { id: 'a', value: 'Now?' }, { id: 'b', value: 'Where?' });
    assert.equal(command, `agent-harbor run travel --thread t1 --resume '{"a":"…","b":"…"}'`);
  });

  it('offer options one by one, unless there are many', () => {
    const resumes = (options: unknown) =>
      answers({}, { value: { options } }).map((command) => command.split(' --resume ')[1]);
    assert.deepEqual(resumes(['yes', 'not now', '7', 7, '[x]'].slice(0, 4)), [
      'yes',
      "'not now'",
      `'"7"'`,
      '7',
    ]);
    assert.deepEqual(resumes(['[x]', '-']), [`'"[x]"'`, `'"-"'`]);
    assert.deepEqual(resumes(['a', 'b', 'c', 'd', 'e']), ["'<answer>'"]);
    assert.deepEqual(resumes([{ label: 'yes' }]), ["'<answer>'"]);
  });

  it('are quoted for PowerShell on Windows', () => {
    const windows = new NextCommands({ config: 'C:\\agents\\langgraph.json' }, 'win32');
    assert.deepEqual(windows.answer('travel', 't1', [{ value: { options: ["don't"] } }]), [
      "agent-harbor run travel --thread t1 --resume 'don''t' --config C:\\agents\\langgraph.json",
    ]);
  });

  it('pass JSON through standard input on Windows, where PowerShell removes the quotes', () => {
    const windows = new NextCommands({}, 'win32');
    assert.deepEqual(windows.answer('travel', 't1', [{ value: { action_requests: [{}] } }]), [
      `'{"decisions":[{"type":"approve"}]}' | agent-harbor run travel --thread t1 --resume -`,
    ]);
  });
});
