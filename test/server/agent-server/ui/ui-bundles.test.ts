import assert from 'node:assert/strict';
import { rm, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import vm from 'node:vm';
import { graphProject } from '../../../support/projects.ts';
import { type ServedProject, serveProject } from '../../../support/served-project.ts';
import { installUiBundler } from '../../../support/ui-bundler.ts';

const AGENT = `
import { MessagesAnnotation, START, StateGraph } from '@langchain/langgraph';
export const agent = new StateGraph(MessagesAnnotation).addNode('say', () => ({})).addEdge(START, 'say').compile();
`;
const FILES = {
  'agent.mjs': AGENT,
  'langgraph.json': JSON.stringify({
    graphs: { agent: './agent.mjs:agent' },
    ui: { 'my agent': './ui/components.tsx', broken: './broken.tsx' },
    ui_config: { shared: ['shared-with-page'] },
  }),
  'ui/components.tsx': `
import './styles.css';
import { word } from 'shared-with-page';
const Weather = ({ city }: { city: string }) => <b>{city} {word}</b>;
export default { weather: Weather };
`,
  'ui/styles.css': 'b { color: red; }',
  'broken.tsx': 'export default {',
};

describe("the components of a project's own interface", function () {
  this.timeout(120_000);
  let served: ServedProject;
  let bundler: string;
  before(async () => {
    bundler = await installUiBundler();
    const given = await graphProject({ line: 'langgraph-1.7', empty: true, files: FILES });
    served = await serveProject({ given });
  });
  after(() => served?.[Symbol.asyncDispose]());

  const load = (agent: string, name: string) =>
    fetch(`${served.url}/ui/${encodeURIComponent(agent)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name }),
    });

  it('require a bundler, and say how to install it', async () => {
    const response = await load('my agent', 'weather');
    assert.equal(response.status, 500);
    assert.match(await response.text(), /npm install --save-dev @langchain\/langgraph-ui/);
  });

  describe('with a bundler that is installed meanwhile', () => {
    before(async () => {
      const modules = path.join(served.project.folder, 'node_modules');
      await rm(modules, { force: true });
      await symlink(path.join(bundler, 'node_modules'), modules, 'junction');
    });

    it('are loaded and rendered by the HTML in a page', async () => {
      const response = await load('my agent', "weather's");
      assert.match(response.headers.get('content-type') ?? '', /^text\/html/);
      const html = await response.text();
      const [, style = ''] = /<link rel="stylesheet" href="([^"]+)" \/>/.exec(html) ?? [];
      assert.match(await (await fetch(style)).text(), /color: ?red/);
      const [, source = '', onload = ''] =
        /<script src="([^"]+)" onload='([^']+)'><\/script>/.exec(html) ?? [];
      assert.equal(onload, '__LGUI_my_agent.render("weather&#39;s", "{{shadowRootId}}")');
      const script = await fetch(source);
      assert.match(script.headers.get('content-type') ?? '', /javascript/);

      // The page provides React, the shared modules, and an element to render into.
      const drawn: unknown[] = [];
      const context = vm.createContext({});
      const given: Record<string, unknown> = {
        'react/jsx-runtime': {
          jsx: (type: string, props: object) => ({ type, ...props }),
          jsxs: (type: string, props: object) => ({ type, ...props }),
        },
        'shared-with-page': { word: 'is sunny' },
      };
      context.given = given;
      context.respond = (id: string, component: (props: object) => unknown) =>
        drawn.push([id, component({ city: 'Paris' })]);
      vm.runInContext(
        `globalThis.window = globalThis;
         globalThis[Symbol.for('LGUI_REQUIRE')] = (name) => given[name];
         globalThis[Symbol.for('LGUI_EXT_STORE')] = { respond };
         globalThis.document = {
           getElementById: () => ({ shadowRoot: { appendChild() {} } }),
           createElement: () => ({}),
         };`,
        context,
      );
      vm.runInContext(`${await script.text()}\nglobalThis.__LGUI_my_agent = __LGUI_my_agent;`, context);
      vm.runInContext('__LGUI_my_agent.render("weather", "root-1")', context);
      assert.equal(JSON.stringify(drawn), '[["root-1",{"type":"b","children":["Paris"," ","is sunny"]}]]');
    });

    it('are loaded under an empty name too', async () => {
      assert.equal((await load('my agent', '')).status, 200);
    });

    it('are bundled again after a change', async () => {
      await writeFile(path.join(served.project.folder, 'ui/styles.css'), 'b { color: green; }');
      const [, style = ''] = /href="([^"]+)"/.exec(await (await load('my agent', 'weather')).text()) ?? [];
      assert.match(await (await fetch(style)).text(), /color: ?green/);
    });

    it('report their errors', async () => {
      const broken = await load('broken', 'x');
      assert.equal(broken.status, 500);
      assert.match(await broken.text(), /Could not bundle .*broken\.tsx.*found end of file/s);
      assert.equal((await load('nobody', 'x')).status, 404);
      assert.equal((await fetch(`${served.url}/ui/my%20agent/nothing.js`)).status, 404);
      assert.equal((await fetch(`${served.url}/ui/nobody/entrypoint.js`)).status, 404);
    });
  });
});
