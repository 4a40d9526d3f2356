import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { installOnce, npm } from './cache.ts';

const PACKAGES = {
  '@langchain/langgraph-ui': '2.0.0',
  '@langchain/langgraph': '1.7.3',
  '@langchain/core': '1.4.0',
};

/**
 * Installs the public bundler of `ui` with a LangGraph, once per machine.
 * @returns the folder with its package.json, lockfile and node_modules.
 */
export async function installUiBundler(): Promise<string> {
  const { folder } = await installOnce({
    name: 'langgraph-ui',
    versions: { ui: '2.0.0' },
    install: async (target) => {
      const manifest = { private: true, dependencies: PACKAGES };
      await writeFile(path.join(target, 'package.json'), JSON.stringify(manifest));
      await npm(['install'], target);
      return {};
    },
  });
  return folder;
}
