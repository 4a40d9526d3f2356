import assert from 'node:assert/strict';
import { describeFiles } from '../../src/extension/coding-agents/describe-files.ts';

describe('the question before files for coding agents are written', () => {
  const shared = { name: '.mcp.json', isNew: false, isShared: true };
  const skill = { name: 'SKILL.md', isNew: false, isShared: false };

  it('says of each file what is kept of it', () => {
    const fresh = { ...shared, name: '.cursor/mcp.json', isNew: true };
    assert.equal(
      describeFiles([shared, fresh, skill], 'agent-harbor mcp'),
      [
        '.mcp.json (other entries are kept)',
        '.cursor/mcp.json (new)',
        'SKILL.md (is replaced)',
        '',
        'Coding agents start the MCP server with: agent-harbor mcp',
      ].join('\n'),
    );
  });

  it('says nothing of the MCP server if only the skill is written', () => {
    assert.equal(describeFiles([skill], 'agent-harbor mcp'), 'SKILL.md (is replaced)');
  });
});
