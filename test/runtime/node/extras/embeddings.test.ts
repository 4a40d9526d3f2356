import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { Embeddings } from '../../../../src/runtime/node/extras/embeddings.ts';
import { Extras } from '../../../../src/runtime/node/extras/extras.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

describe('a store that is indexed with a provider’s model', () => {
  async function embeddings(folder: string, embed: string): Promise<Embeddings> {
    const extras = new Extras();
    extras.configure({ protocol_version: 1, project_dir: folder, graphs: {}, extras: { embed } });
    return new Embeddings(extras);
  }

  it('uses the model of the installed package', async () => {
    await using folder = await temporaryFolder();
    const installed = path.join(folder.path, 'node_modules', '@langchain', 'ollama');
    await mkdir(installed, { recursive: true });
    await writeFile(
      path.join(installed, 'package.json'),
      JSON.stringify({
        name: '@langchain/ollama',
        version: '1.0.0',
        type: 'module',
        exports: { '.': './index.js' },
      }),
    );
    await writeFile(
      path.join(installed, 'index.js'),
      `export class OllamaEmbeddings {
         constructor({ model }) { this.model = model; }
         async embedDocuments(texts) { return texts.map((text) => [text.length, this.model.length]); }
       }`,
    );
    const model = await embeddings(folder.path, 'ollama:nomic-embed-text:v1.5');
    assert.deepEqual(await model.embed({ texts: ['tea', 'coffee'] }), {
      vectors: [
        [3, 21],
        [6, 21],
      ],
    });
  });

  it('reports a missing package, and the supported providers', async () => {
    await using folder = await temporaryFolder();
    const openai = await embeddings(folder.path, 'openai:text-embedding-3-small');
    await assert.rejects(openai.embed({ texts: ['tea'] }), /needs the package @langchain\/openai/);
    const unknown = await embeddings(folder.path, 'nobody:nothing');
    await assert.rejects(unknown.embed({ texts: ['tea'] }), /supported providers are azure_openai/);
  });
});
