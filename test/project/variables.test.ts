import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { findSecrets } from '../../src/project/secrets.ts';
import { Masker } from '../../src/replay/mask.ts';
import { describeProject } from '../../src/run-files/describe-project.ts';
import { peekProject } from '../../src/server/runtimes/project/peek-project.ts';
import { readProject } from '../../src/server/runtimes/project/project.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const PASSWORD = 'correct-horse-battery-1';
const OTHER = 'another-horse-battery-2';

interface Folder {
  readonly env?: unknown;
  readonly files?: Readonly<Record<string, string>>;
  /** The variables of its graphs when it is served from the folder. */
  readonly served: Readonly<Record<string, string>>;
  /** The variables that a deployment and the container of `up` are sent; undefined leaves them unchanged. */
  readonly sent: { readonly from: string; readonly variables: Readonly<Record<string, string>> } | undefined;
}

/** Each folder, and the variables that every caller gets. */
const FOLDERS: Readonly<Record<string, Folder>> = {
  'variables in langgraph.json, beside a .env that it does not name': {
    env: { SERVICE_PASSWORD: PASSWORD, MODEL: 'x' },
    files: { '.env': `OPENAI_API_KEY=${OTHER}\nPRIVATE=1\n` },
    served: { SERVICE_PASSWORD: PASSWORD, MODEL: 'x' },
    sent: { from: 'langgraph.json', variables: { SERVICE_PASSWORD: PASSWORD, MODEL: 'x' } },
  },
  'no variables in langgraph.json, beside a .env that it does not name': {
    env: {},
    files: { '.env': `OPENAI_API_KEY=${OTHER}\n` },
    served: {},
    sent: undefined,
  },
  'an env file that it names, beside a .env': {
    env: 'my.env',
    files: { 'my.env': `SERVICE_PASSWORD=${PASSWORD}\n`, '.env': `OPENAI_API_KEY=${OTHER}\n` },
    served: { SERVICE_PASSWORD: PASSWORD },
    sent: { from: 'my.env', variables: { SERVICE_PASSWORD: PASSWORD } },
  },
  'an env file that it names and does not have, beside a .env': {
    env: 'my.env',
    files: { '.env': `OPENAI_API_KEY=${OTHER}\n` },
    served: {},
    sent: undefined,
  },
  'no env, beside a .env': {
    files: { '.env': `OPENAI_API_KEY=${OTHER}\n` },
    served: {},
    sent: { from: '.env', variables: { OPENAI_API_KEY: OTHER } },
  },
  'no env, beside a Python environment in .env': {
    files: { '.env/pyvenv.cfg': 'home = /usr/bin\n' },
    served: {},
    sent: undefined,
  },
  'no env and no file': { served: {}, sent: undefined },
};

describe('the variables of a project with', () => {
  for (const [title, { env, files = {}, served, sent }] of Object.entries(FOLDERS)) {
    it(`${title} are the same for every caller`, async () => {
      await using folder = await temporaryFolder();
      const configPath = path.join(folder.path, 'langgraph.json');
      const config = JSON.stringify({ graphs: { a: './a.ts:g' }, env });
      for (const [name, text] of Object.entries({ 'langgraph.json': config, ...files })) {
        const file = path.join(folder.path, name);
        await mkdir(path.dirname(file), { recursive: true });
        await writeFile(file, text);
      }
      assert.deepEqual((await readProject(configPath, {})).env, served);
      assert.deepEqual((await peekProject(configPath, {}))?.env, served);
      const found = await findSecrets(configPath);
      assert.deepEqual(
        found && {
          from: path.relative(folder.path, found.file),
          variables: Object.fromEntries(found.secrets.map(({ name, value }) => [name, value])),
        },
        sent,
      );
      const { secrets } = await describeProject(configPath, {});
      const mask = new Masker(secrets);
      for (const value of [...Object.values(served), ...Object.values(sent?.variables ?? {})])
        if (value.length > 6) assert.equal(mask.text(`<${value}>`), `<${'*'.repeat(value.length)}>`);
    });
  }
});

describe('an env file that langgraph.json names', () => {
  it('is refused when it cannot be read, before anything is deployed', async () => {
    await using folder = await temporaryFolder();
    const configPath = path.join(folder.path, 'langgraph.json');
    await writeFile(configPath, JSON.stringify({ graphs: { a: './a.ts:g' }, env: 'vars' }));
    await mkdir(path.join(folder.path, 'vars'));
    await assert.rejects(findSecrets(configPath), /^Error: Could not read the env file .*vars/);
  });
});
