import assert from 'node:assert/strict';
import { CODING_AGENTS } from '../../src/coding-agents/client-files.ts';

const started = { command: 'agent-harbor', args: ['mcp'] };

function write(name: string, before: string | undefined): string {
  const agent = CODING_AGENTS.find((one) => one.name === name);
  assert.ok(agent);
  return agent.addServer(before, started);
}

describe('the files that tell coding agents about the MCP server', () => {
  it('are created if there are none', () => {
    for (const name of ['Claude Code', 'Cursor'])
      assert.deepEqual(JSON.parse(write(name, undefined)), { mcpServers: { 'agent-harbor': started } });
    assert.equal(
      write('Codex', undefined),
      '[mcp_servers.agent-harbor]\ncommand = "agent-harbor"\nargs = ["mcp"]\n',
    );
  });

  it('keep other servers, comments and line ends', () => {
    const before =
      '{\r\n  // ours\r\n  "mcpServers": { "other": { "command": "x" } },\r\n  "more": 1\r\n}\r\n';
    const after = write('Claude Code', before);
    assert.match(after, /\/\/ ours\r\n/);
    assert.match(after, /"other": \{/);
    assert.match(after, /"more": 1/);
    assert.match(after, /"agent-harbor": \{/);
    assert.doesNotMatch(after.replaceAll('\r\n', ''), /\n/);
  });

  it('are the same when they are written again', () => {
    const others = {
      Codex:
        'model = "o"\n\n[mcp_servers.agent-harbor]\ncommand = "old"\nargs = []\n\n[mcp_servers.other]\ncommand = "x"\n',
      Cursor: '{"mcpServers": {"agent-harbor": {"command": "old", "env": {"A": "1"}}}}',
    };
    for (const [name, before] of Object.entries(others)) {
      const once = write(name, before);
      assert.equal(write(name, once), once);
      assert.doesNotMatch(once, /"old"/);
    }
    assert.equal(
      write('Codex', others.Codex),
      'model = "o"\n\n[mcp_servers.agent-harbor]\ncommand = "agent-harbor"\nargs = ["mcp"]\n\n[mcp_servers.other]\ncommand = "x"\n',
    );
  });

  it('have one table for our server in TOML, however its header is written, and keep a comment after it', () => {
    for (const header of [
      '[mcp_servers.agent-harbor] # traces',
      '[mcp_servers.agent-harbor]# traces',
      ' [ mcp_servers . "agent-harbor" ]',
      `["mcp_servers".'agent-harbor'] # the server [of traces]`,
    ]) {
      const others =
        '[mcp_servers.agent-harbor.env]\nA = "1"\n\n[mcp_servers.agent-harbor2]\ncommand = "x"\n';
      assert.equal(
        write('Codex', `${header}\ncommand = "old"\n\n${others}`),
        `${header}\ncommand = "agent-harbor"\nargs = ["mcp"]\n\n${others}`,
      );
    }
  });

  it('keep the other settings and comments of our table in TOML', () => {
    const before = `[mcp_servers.agent-harbor]
# For the team.
command = "old"
args = [
  "a]", # [
  'b',
]
startup_timeout_sec = 20
nested = [
  ["command"],
]
command = "older"
"env" = { A = "1" }

# Not ours.
[mcp_servers.other]
args = ["x"]
`;
    assert.equal(
      write('Codex', before),
      `[mcp_servers.agent-harbor]
command = "agent-harbor"
args = ["mcp"]
# For the team.
startup_timeout_sec = 20
nested = [
  ["command"],
]
"env" = { A = "1" }

# Not ours.
[mcp_servers.other]
args = ["x"]
`,
    );
  });

  it('are left alone when they cannot be read', () => {
    assert.throws(() => write('Cursor', '{"mcpServers": '), /It is not valid JSON\./);
  });
});
