import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { CHAT_TOOLS } from '../../src/extension/coding-agents/chat-tools.ts';
import { projectRoot } from '../support/cache.ts';

const Contributed = z.looseObject({
  name: z.string(),
  toolReferenceName: z.string(),
  modelDescription: z.string(),
  inputSchema: z.unknown(),
});

describe("the tools of VS Code's chats", () => {
  it('are contributed with the descriptions and arguments that they have', () => {
    const manifest = z
      .looseObject({ contributes: z.looseObject({ languageModelTools: z.array(Contributed) }) })
      .parse(JSON.parse(readFileSync(path.join(projectRoot, 'package.json'), 'utf8')));
    assert.deepEqual(
      manifest.contributes.languageModelTools.map(({ name, modelDescription, inputSchema }) => ({
        name,
        modelDescription,
        inputSchema,
      })),
      Object.entries(CHAT_TOOLS).map(([name, { description, input }]) => {
        const { $schema: _, ...inputSchema } = z.toJSONSchema(input, { io: 'input' });
        return { name, modelDescription: description, inputSchema };
      }),
    );
    assert.deepEqual(
      manifest.contributes.languageModelTools.map(({ toolReferenceName }) => toolReferenceName),
      ['trace', 'thread', 'graph', 'prove'],
    );
  });
});
