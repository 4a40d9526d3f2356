import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { projectRoot } from '../support/cache.ts';

const Manifest = z.looseObject({
  engines: z.object({ vscode: z.string() }).loose(),
  devDependencies: z.record(z.string(), z.string()),
  contributes: z.looseObject({
    commands: z.array(
      z.object({ command: z.string(), title: z.string(), category: z.string(), icon: z.string().optional() }),
    ),
    menus: z.record(z.string(), z.array(z.looseObject({ command: z.string(), when: z.string().optional() }))),
    views: z.record(z.string(), z.array(z.looseObject({ id: z.string() }))),
    viewsWelcome: z.array(z.object({ view: z.string(), contents: z.string(), when: z.string() })),
    configuration: z.looseObject({ properties: z.record(z.string(), z.unknown()) }),
  }),
});

const read = (file: string) => readFileSync(path.join(projectRoot, file), 'utf8');
const text = read('package.json');
const manifest = Manifest.parse(JSON.parse(text));
const strings = z.record(z.string(), z.string()).parse(JSON.parse(read('package.nls.json')));
const { commands, menus, views, viewsWelcome } = manifest.contributes;
/** The files in folders of commands/ that export a command of their own name. */
const commandFiles = new Map<string, string>(
  globSync('src/extension/commands/*/*.ts', { cwd: projectRoot }).flatMap((file) => {
    const name = path.basename(file, '.ts').replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
    return read(file).includes(`export const ${name}`) && !name.endsWith('Commands')
      ? [[`agentHarbor.${name}`, file] as const]
      : [];
  }),
);
const ids = commands.map(({ command }) => command);
/** The commands that do nothing without a row. */
const rowCommandIds = ids.filter((id) => /= rowCommand\(/.test(read(commandFiles.get(id) ?? '')));

describe('the extension manifest', () => {
  it('contributes every command of commands/, and no other', () => {
    assert.deepEqual([...ids].sort(), [...commandFiles.keys()].sort());
  });

  it('has every command in the list of its folder, and every list among the commands', () => {
    const registered = read('src/extension/activation/commands.ts');
    const listed = globSync('src/extension/commands/*/*-commands.ts', { cwd: projectRoot }).flatMap(
      (file) => {
        const [, list = '', names = ''] = /export const (\w+) = \{\n(.*?)\n\};/s.exec(read(file)) ?? [];
        assert.ok(registered.includes(`  ...${list},\n`), file);
        return [...names.matchAll(/^ {2}(\w+),$/gm)].map(([, name]) => `agentHarbor.${name}`);
      },
    );
    assert.deepEqual(listed.sort(), [...ids].sort());
  });

  it('has a string for every placeholder, and a use for every string', () => {
    const used = [...text.matchAll(/"%([\w.]+)%"/g)].map(([, key]) => key ?? '');
    assert.deepEqual([...new Set(used)].sort(), Object.keys(strings).sort());
  });

  it('refers only to commands and views it contributes', () => {
    for (const items of Object.values(menus)) {
      for (const { command } of items) assert.ok(ids.includes(command), command);
    }
    const viewIds = Object.values(views).flatMap((list) => list.map(({ id }) => id));
    for (const { view } of viewsWelcome) assert.ok(viewIds.includes(view), view);
    for (const [, command] of Object.values(strings)
      .join('\n')
      .matchAll(/command:(agentHarbor\.[\w.]+)/g)) {
      const [, view] = /^(.*)\.focus$/.exec(command ?? '') ?? [];
      assert.ok(view === undefined ? ids.includes(command ?? '') : viewIds.includes(view), command);
    }
  });

  it('gives every command of a title bar or a row an icon', () => {
    const inline = Object.entries(menus).flatMap(([menu, items]) =>
      items.filter(
        ({ group }) => group === 'inline' || String(group).startsWith('inline@') || menu === 'editor/title',
      ),
    );
    for (const { command } of inline) {
      assert.ok(commands.find((known) => known.command === command)?.icon, command);
    }
  });

  it('keeps commands out of the palette that cannot work there', () => {
    const needsRow = menus['view/item/context']?.map(({ command }) => command) ?? [];
    const palette = new Map(menus.commandPalette?.map(({ command, when }) => [command, when]));
    for (const command of needsRow)
      assert.ok(palette.has(command), `${command} needs a when clause for the palette`);
  });

  it('keeps commands that do nothing without a row out of the palette', () => {
    const palette = new Map(menus.commandPalette?.map(({ command, when }) => [command, when]));
    assert.ok(rowCommandIds.includes('agentHarbor.renameThread'));
    for (const command of rowCommandIds) assert.equal(palette.get(command), 'false', command);
  });

  it('offers every command that needs a row in a menu, or by a click on a row', () => {
    const { commandPalette: _, ...others } = menus;
    const inMenus = new Set(Object.values(others).flatMap((items) => items.map(({ command }) => command)));
    const rows = globSync('src/extension/views/*.ts', { cwd: projectRoot }).map(read).join('\n');
    assert.deepEqual(
      rowCommandIds.filter((command) => !inMenus.has(command) && !rows.includes(`'${command}'`)),
      [],
    );
  });

  it('says why a view is empty, with exactly one text in each state', () => {
    const ready = { ...{ scanned: true, connection: 'ready', server: 'ready' } };
    const states = {
      'while the extension starts': {},
      'while the extension starts without a folder': { folder: false },
      'without a folder, and a server that runs': { ...ready, folder: false, current: 'none' },
      'without a folder, and no server': {
        folder: false,
        scanned: true,
        connection: 'stopped',
        server: 'stopped',
      },
      'in Restricted Mode': { scanned: true, connection: 'stopped', server: 'stopped', isTrusted: false },
      'with nothing to show yet': { ...ready, hasConfig: true, current: 'folder', canRun: true },
      'with graphs that have all failed': { ...ready, hasConfig: true, current: 'folder' },
      'without matches of a filter': { ...ready, hasConfig: true, current: 'folder', threadFilter: true },
      'without a langgraph.json': { ...ready, current: 'none' },
      'when the server does not answer': {
        scanned: true,
        connection: 'silent',
        server: 'silent',
        hasConfig: true,
        current: 'folder',
      },
      'when the server has stopped': {
        scanned: true,
        connection: 'stopped',
        server: 'stopped',
        hasConfig: true,
      },
      'while the server starts': {
        scanned: true,
        hasConfig: true,
        server: 'starting',
        connection: 'starting',
      },
      'while the graphs load': {
        scanned: true,
        hasConfig: true,
        server: 'ready',
        connection: 'ready',
        current: 'folder',
        canRun: true,
        isLoading: true,
      },
    };
    const viewIds = Object.values(views).flatMap((list) => list.map(({ id }) => id));
    const shown = Object.entries(states).map(([state, context]) => [
      state,
      ...viewIds.map((view) => welcomeOf(view, context)),
    ]);
    assert.deepEqual(shown, [
      ['while the extension starts', 'loading', 'loading', 'loading', 'loading'],
      ['while the extension starts without a folder', 'noFolder', 'loading', 'loading', 'loading'],
      ['without a folder, and a server that runs', 'noFolder', 'noDeployment', 'noDeployment', 'noTraces'],
      ['without a folder, and no server', 'noFolder', 'assistants', 'threads', 'traces'],
      ['in Restricted Mode', 'untrusted', 'assistantsUntrusted', 'threadsUntrusted', 'tracesUntrusted'],
      ['with nothing to show yet', '', 'noAssistants', 'noThreads', 'noTraces'],
      ['with graphs that have all failed', '', 'noAssistants', 'cannotRun', 'noTraces'],
      ['without matches of a filter', '', 'noAssistants', 'noMatchingThreads', 'noTraces'],
      ['without a langgraph.json', 'noConfig', 'noDeployment', 'noDeployment', 'noTraces'],
      ['when the server does not answer', 'silent', 'silentElsewhere', 'silentElsewhere', 'silentElsewhere'],
      ['when the server has stopped', 'stopped', 'assistants', 'threads', 'traces'],
      ['while the server starts', 'loading', 'loading', 'loading', 'loading'],
      ['while the graphs load', '', 'loading', 'loading', 'noTraces'],
    ]);
  });

  it('is typed against the oldest VS Code that it supports', () => {
    assert.equal(manifest.devDependencies['@types/vscode'], manifest.engines.vscode.replace(/^\^/, ''));
  });
});

/** The names of the welcome texts that an empty view shows, by the keys of `context-keys.ts`. */
function welcomeOf(view: string, context: Readonly<Record<string, unknown>>): string {
  const { folder = true, isTrusted = true, ...keys } = context;
  const values: Record<string, unknown> = {
    workbenchState: folder === true ? 'folder' : 'empty',
    isWorkspaceTrusted: isTrusted,
    ...Object.fromEntries(Object.entries(keys).map(([key, value]) => [`agentHarbor.${key}`, value])),
  };
  return viewsWelcome
    .filter((welcome) => welcome.view === view)
    .filter(({ when }) => when.split(' && ').every((condition) => holds(condition, values)))
    .map(({ contents }) => /^%welcome\.(\w+)%$/.exec(contents)?.[1])
    .join();
}

/** One condition of a `when` clause, as VS Code evaluates it. */
function holds(condition: string, values: Readonly<Record<string, unknown>>): boolean {
  const [, not, key = '', operator, operand = ''] =
    /^(!?)([\w.]+)(?: (==|!=|=~) (.+))?$/.exec(condition) ?? assert.fail(condition);
  const value = values[key];
  if (operator === undefined) return Boolean(value) !== (not === '!');
  if (operator === '=~') return new RegExp(operand.slice(1, -1)).test(String(value));
  return (String(value) === operand.replaceAll("'", '')) === (operator === '==');
}
