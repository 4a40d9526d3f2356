import assert from 'node:assert/strict';
import path from 'node:path';
import type { Locator } from 'playwright-core';
import { projectRoot } from '../support/cache.ts';
import { eventually } from '../support/wait.ts';
import { HarborWindow } from './pages/harbor-window.ts';
import {
  dangersIn,
  fitsInWidth,
  focusedName,
  framesSoFar,
  type ScrollBox,
  seeEverything,
  watchFrames,
} from './pages/in-webview.ts';
import { look } from './pages/look.ts';
import type { RunPanelPage } from './pages/run-panel-page.ts';
import { TracePanelPage } from './pages/trace-panel-page.ts';

const folder = path.join(projectRoot, 'test', 'fixtures', 'panel-agents');

describe('the run panel', function () {
  this.timeout(180_000);
  let window: HarborWindow;
  let panel: RunPanelPage;

  before(async () => {
    window = await HarborWindow.open({
      folder,
      // The language server of TypeScript is no part of this build of VS Code, which complains about that.
      settings: {
        'files.associations': { '*.mjs': 'plaintext' },
        // In the browser VS Code saves by itself unless told otherwise.
        'files.autoSave': 'off',
        // What is typed is what is there.
        'editor.autoClosingQuotes': 'never',
        'editor.quickSuggestions': { other: 'off', comments: 'off', strings: 'off' },
      },
    });
    await window.openViews('order');
  });

  after(() => window?.close());

  afterEach(function () {
    return window.workbench.afterTest(this.currentTest);
  });

  async function open(graph: string): Promise<RunPanelPage> {
    await window.workbench.editors.discardAll();
    return window.newRunPanel('Deployments', ['panel-agents', graph]);
  }

  /** A panel in which an order has gone all the way. */
  async function ordered(): Promise<RunPanelPage> {
    const opened = await open('order');
    await opened.json({ customer: 'Ada', speed: 'express', crates: [{ label: 'figs', weight: 2.5 }] });
    await opened.button('Run').click();
    await opened.outcome();
    return opened;
  }

  /** Shows the graph of an order that has gone all the way, and has the next one stop before it is sent. */
  async function breakBeforePlane(orders: RunPanelPage): Promise<Locator> {
    await orders.turnOn('Show the graph');
    const graph = orders.frame.getByRole('region', { name: 'Graph' });
    await graph.getByRole('button', { name: /^plane, done/ }).waitFor();
    await orders.button('Options').click();
    await orders.frame.getByRole('checkbox', { name: 'Stop before plane' }).check();
    return graph;
  }

  /** The panel that the test before has left, with an order that has stopped; when it is tried again, one like it. */
  async function stopped(): Promise<RunPanelPage> {
    if (await panel.frame.getByText('Stopped before plane').first().isVisible()) return panel;
    const opened = await ordered();
    await breakBeforePlane(opened);
    await opened.button('Options').click();
    await opened.button('Run').click();
    await opened.frame.getByText('Stopped before plane').first().waitFor();
    return opened;
  }

  /** What the server holds of the newest thread. */
  async function newestState() {
    const client = await window.agentClient();
    const [thread] = await client.threads.search({
      body: { limit: 1, sort_by: 'created_at', sort_order: 'desc' },
    });
    const thread_id = thread?.thread_id ?? '';
    return client.threads.getState({ params: { thread_id } });
  }

  /** In a window that is zoomed to twice its size, where nothing has to be scrolled sideways. */
  async function zoomed(then: () => Promise<void>): Promise<void> {
    await window.workbench.zoomed(async () => {
      const body = panel.frame.locator('body');
      await eventually('all of the width', () => body.evaluate(fitsInWidth));
      await then();
      await window.workbench.screenshot('run-zoomed');
    });
  }

  async function inSight(button: Locator): Promise<boolean> {
    const inside = panel.frame.locator('html');
    const [box, all] = [await button.boundingBox(), await inside.boundingBox()];
    return box !== null && all !== null && box.y + box.height <= all.y + all.height;
  }

  it("takes its input in a form made from the graph's schema, and says what is wrong with it", async () => {
    panel = await open('order');
    const { frame } = panel;
    await frame.getByRole('button', { name: 'Form', pressed: true }).waitFor();
    await frame.getByLabel('customer').fill('Ada');
    await frame.getByLabel('speed').selectOption({ label: 'express' });
    const crates = frame.getByRole('group', { name: /^crates/ });
    await crates.getByRole('button', { name: 'Add an entry' }).click();
    await crates.getByLabel('label').fill('figs');
    await crates.getByLabel('weight').fill('much');
    await panel.button('Run').click();
    await frame.getByText('A field needs another look.').waitFor();
    await frame.getByText('“much” is no number.').waitFor();
    await window.workbench.screenshot('run-form-invalid');
    await crates.getByLabel('weight').fill('2.5');
    await frame.getByLabel('city').fill('Genoa');
    await look(window.workbench, panel.frame, 'run-form');
    await panel.button('Run').click();
    assert.equal(await panel.outcome(), 'Done');
    const { values } = await newestState();
    assert.deepEqual(values, {
      customer: 'Ada',
      speed: 'express',
      crates: [{ label: 'figs', weight: 2.5 }],
      address: { city: 'Genoa' },
      price: 20,
      log: ['checked Ada', 'priced', 'sent by plane'],
    });
  });

  it('carries the form over to JSON', async () => {
    await panel.button('JSON').click();
    const input = panel.frame.getByRole('textbox', { name: 'Input as JSON' });
    assert.equal(JSON.parse(await input.inputValue()).customer, 'Ada');
    await panel.button('Form').click();
    assert.equal(await panel.frame.getByLabel('customer').inputValue(), 'Ada');
  });

  it('draws the graph, lights what runs, and stops at breakpoints', async () => {
    // An earlier try has left another run in it.
    if ((await panel.ended()) !== 1) panel = await ordered();
    const graph = await breakBeforePlane(panel);
    assert.equal(await graph.locator('.edge.conditional').count(), 2);
    await look(window.workbench, panel.frame, 'run-options');
    await panel.button('Options').click();
    await panel.button('Run').click();
    await graph.getByRole('button', { name: /^check, running/ }).waitFor();
    await window.workbench.screenshot('graph-lit');
    assert.equal(await panel.outcome(2), 'Paused');
    await panel.frame.getByText('Stopped before plane').waitFor();
    await graph.getByRole('button', { name: 'price_it, done' }).waitFor();
    await look(window.workbench, panel.frame, 'run-breakpoint');
    assert.deepEqual((await newestState()).next, ['plane']);
  });

  it('edits the state, refuses what is no JSON in a sentence, and goes on', async () => {
    panel = await stopped();
    await panel.button('Edit State…').click();
    const editor = panel.frame.getByRole('region', { name: 'Edit state' });
    const text = editor.getByRole('textbox', { name: 'State as JSON' });
    const state = await text.inputValue();
    await text.fill('{"log": }');
    await editor.getByRole('button', { name: 'Save', exact: true }).click();
    await editor.getByText('A value is missing before the “}”.').waitFor();
    await text.fill(JSON.stringify({ ...JSON.parse(state), log: ['edited by hand'] }, undefined, 2));
    await look(window.workbench, panel.frame, 'run-edit-state');
    await zoomed(async () => {
      for (const name of ['Save', 'Cancel'])
        assert.ok(await inSight(editor.getByRole('button', { name, exact: true })), `${name} is in sight`);
    });
    await editor.getByRole('button', { name: 'Save and Continue' }).click();
    await eventually(
      'the edited log to be gone on with',
      async () => (await newestState()).values,
      (values) => JSON.stringify(values).includes('["edited by hand","sent by plane"]'),
      30_000,
    );
    await panel.outcome(1);
  });

  it("keeps the thread's turns, goes back to one, and forks from there", async () => {
    await panel.turnOn('Show the history of the thread');
    const history = panel.frame.getByRole('region', { name: 'History' });
    await history.getByRole('button', { name: /^Edited/ }).waitFor();
    await history
      .getByRole('button', { name: /^check.*next: price_it/ })
      .first()
      .click();
    await panel.frame.getByText('This is an earlier state.').waitFor();
    await panel.frame.getByText('Here price_it was to run next').waitFor();
    await look(window.workbench, panel.frame, 'run-history');
    const before = await newestState();
    await panel.button('Continue').click();
    await panel.frame.getByText('Stopped before plane').first().waitFor();
    await eventually(
      'another state, before plane',
      newestState,
      ({ checkpoint, next }) =>
        checkpoint.checkpoint_id !== before.checkpoint.checkpoint_id && next.join() === 'plane',
    );
    await history.locator('.turn.aside').first().waitFor();
  });

  it('leads from a node to its source, by mouse and by keys', async () => {
    panel = await open('order');
    await panel.turnOn('Show the graph');
    const graph = panel.frame.getByRole('region', { name: 'Graph' });
    await graph.getByRole('button', { name: /^check/ }).focus();
    await window.workbench.page.keyboard.press('ArrowDown');
    await graph.locator('.node[data-id="price_it"]:focus').waitFor();
    await window.workbench.page.keyboard.press('F9');
    await graph.getByRole('button', { name: /^price_it, .*breakpoint before/ }).waitFor();
    await window.workbench.page.keyboard.press('Enter');
    await eventually(
      'the source of the node',
      () => window.workbench.editors.text(),
      (text) => text.includes('async function price'),
    );
    await window.workbench.editors.closeAll();
  });

  it('asks in a form made from the schema of the answer', async () => {
    panel = await open('ask');
    await panel.json({ who: 'Bo' });
    await panel.button('Run').click();
    await panel.question.waitFor({ timeout: 30_000 });
    await panel.question.getByRole('button', { name: 'Resume' }).click();
    await panel.question.getByText('This is needed.').waitFor();
    await panel.question.getByLabel('Days of leave').fill('3');
    await panel.question.getByLabel('Reason').fill('Sailing');
    await look(window.workbench, panel.frame, 'run-ask-form');
    await panel.question.getByRole('button', { name: 'Resume' }).click();
    await panel.outcome(2);
    assert.deepEqual((await newestState()).values, {
      who: 'Bo',
      leave: { days: 3, reason: 'Sailing', paid: true },
    });
  });

  it('shows a tool that an agent asks to use, whose arguments are edited in a form', async () => {
    panel = await open('book');
    await panel.json({ city: 'Genoa' });
    await panel.button('Run').click();
    const { question } = panel;
    await question.getByText('The agent asks to use book_hotel').waitFor({ timeout: 30_000 });
    for (const name of ['Accept', 'Edit…', 'Respond…', 'Ignore'])
      await question.getByRole('button', { name, exact: true }).waitFor();
    await look(window.workbench, panel.frame, 'run-tool-asked');
    // Tab leads through all of it, in the order in which it is seen.
    await panel.toggle('Show steps and custom events').focus();
    const order = ['Output', 'Accept', 'Edit…', 'Respond…', 'Ignore', 'Input as JSON'];
    const named: string[] = [];
    while (named.length < 40 && named.at(-1) !== 'Options') {
      await window.workbench.page.keyboard.press('Tab');
      named.push(await panel.frame.locator('body').evaluate(focusedName));
    }
    assert.deepEqual(
      named.filter((name) => order.includes(name)),
      order,
    );
    await question.getByRole('button', { name: 'Respond…' }).click();
    await question.getByLabel('Response').waitFor();
    await window.workbench.page.keyboard.press('Escape');
    await question.getByRole('button', { name: 'Edit…' }).click();
    await question.getByLabel('nights').fill('many');
    await question.getByRole('button', { name: 'Go On with These' }).click();
    await question.getByText('“many” is no number.').waitFor();
    await look(window.workbench, panel.frame, 'run-tool-edited');
    await question.getByLabel('nights').fill('3');
    await question.getByRole('button', { name: 'Go On with These' }).click();
    assert.equal(await panel.outcome(2), 'Done');
    assert.deepEqual((await newestState()).values, {
      city: 'Genoa',
      answer: {
        type: 'edit',
        args: { action: 'book_hotel', args: { city: 'Genoa', nights: 3, quiet: true, guest: null } },
      },
      log: ['asked', 'booked'],
    });
  });

  it('edits a state in a JSON document: refused at its place, then written as a node', async () => {
    const { editors, page } = window.workbench;
    if (!(await panel.button('Edit state').isVisible())) {
      // The document of an earlier try is in front.
      panel = await open('book');
      await panel.json({ city: 'Genoa' });
      await panel.button('Run').click();
      await panel.question.getByRole('button', { name: 'Accept', exact: true }).click({ timeout: 30_000 });
      await panel.outcome(2);
    }
    await panel.button('Edit state').click();
    await panel.button('Open as a Document').click();
    const text = await eventually(
      'the state as a document',
      () => editors.text(),
      (shown) => shown.includes('"as_node": null'),
    );
    const lineOf = (part: string) => text.split('\n').findIndex((line) => line.includes(part)) + 1;
    await editors.goTo(lineOf('"asked"'));
    await page.keyboard.press('Control+Shift+K');
    const writeAs = async (node: string): Promise<void> => {
      await editors.goTo(lineOf('"as_node"'));
      await page.keyboard.press('Shift+End');
      await page.keyboard.type(`  "as_node": "${node}",`);
      await window.workbench.runCommand('File: Save');
    };
    await writeAs('nobody');
    await window.workbench.notifications.waitFor(/Failed to save/);
    await window.workbench.dismissAll();
    await page.locator('.squiggly-error').first().waitFor();
    await window.workbench.screenshot('state-document-refused');
    await writeAs('ask');
    const { values, next } = await eventually('the state to be written', newestState, ({ next }) =>
      next.includes('book'),
    );
    assert.deepEqual(next, ['book']);
    // The reducer has added what was left.
    assert.match(JSON.stringify(values), /"log":\["asked","booked","booked"\]/);
    await eventually(
      'what it has become to be shown',
      () => editors.text(),
      (text) => /"asked",\s+"booked",\s+"booked"/.test(text),
    );
    await window.workbench.screenshot('state-document');
    await editors.show('book');
    panel = await window.runPanel('book');
    await panel.frame
      .getByText(/"booked",\s*"booked"/)
      .first()
      .waitFor();
    await editors.closeAll();
  });

  it("shows an error's stack, which leads into the source", async () => {
    panel = await open('sink');
    await panel.json({ depth: 7 });
    await panel.button('Run').click();
    assert.equal(await panel.outcome(), 'Failed');
    await panel.frame.getByText('The ship has sunk at 7 fathoms.').first().waitFor();
    const line = panel.frame.getByRole('button', { name: /sink\.mjs:5/ }).first();
    await line.waitFor({ timeout: 15_000 });
    await look(window.workbench, panel.frame, 'run-error');
    await line.click();
    await eventually(
      'the place that failed',
      () => window.workbench.editors.text(),
      (text) => text.includes('throw new RangeError'),
    );
  });

  it('says in sentences what does not fit the schema', async () => {
    panel = await open('order');
    await panel.json({ customer: 'Ada' });
    await panel.button('Run').click();
    assert.equal(await panel.outcome(), 'Failed');
    await panel.frame.getByText('crates is missing; it has to be of type array').waitFor();
  });

  it('draws fifty nodes, which all fit', async () => {
    panel = await open('wide');
    await panel.turnOn('Show the graph');
    const graph = panel.frame.getByRole('region', { name: 'Graph' });
    await graph.getByRole('button', { name: 'stage_10_e', exact: true }).waitFor();
    assert.equal(await graph.locator('.node').count(), 50);
    await eventually('all of it to be in sight', () =>
      graph.locator('.graph-scroll').evaluate((box: ScrollBox) => {
        return box.scrollWidth <= box.clientWidth && box.scrollHeight <= box.clientHeight;
      }),
    );
    await graph.getByRole('button', { name: 'Show the graph alone' }).click();
    await graph.getByRole('button', { name: 'Zoom in' }).click();
    await look(window.workbench, panel.frame, 'graph-wide');
    await graph.getByRole('button', { name: 'Fit' }).click();
    await graph.getByRole('button', { name: 'Show the output beside the graph' }).click();
  });

  it('fits into a narrow column', async () => {
    await window.workbench.narrow(async () => {
      await look(window.workbench, panel.frame, 'run-narrow');
      await eventually('nothing to be scrolled sideways', () =>
        panel.frame.locator('body').evaluate(fitsInWidth),
      );
    });
    await zoomed(async () => {
      // All of so many nodes would be too small to read there.
      const name = panel.frame.locator('.node text', { hasText: 'stage_10_e' });
      await eventually(
        'names that can be read',
        () => name.boundingBox(),
        (box) => (box?.height ?? 0) > 5,
      );
    });
  });

  it('opens from the rows of a narrow sidebar, which keep their names and their actions', async () => {
    await window.workbench.sideBarWidth(200);
    const deployments = await window.workbench.view('Deployments');
    panel = await open('burst');
    const bar = await window.workbench.page.locator('.part.sidebar').boundingBox();
    assert.ok(bar !== null && bar.width < 220, `the sidebar is narrow: ${bar?.width} px`);
    const name = (await deployments.row(['panel-agents', 'burst'])).locator('.label-name');
    assert.ok(((await name.boundingBox())?.width ?? 0) > 20, 'the name of a row can be read');
    await window.workbench.screenshot('views-narrow');
    await window.workbench.sideBarWidth(300);
  });

  it('shows thousands of events, of which only those in sight are in the document', async () => {
    panel = await open('burst');
    await panel.json({ events: 5000 });
    await panel.frame.locator('body').evaluate(watchFrames);
    const started = performance.now();
    await panel.button('Run').click();
    assert.equal(await panel.outcome(), 'Done');
    const took = Math.round(performance.now() - started);
    const { frames, longest } = await panel.frame.locator('body').evaluate(framesSoFar);
    console.log(`      5,000 events in ${took} ms: ${frames} frames, the longest ${Math.round(longest)} ms`);
    assert.ok((await panel.frame.locator('.row').count()) < 100, 'only rows in sight are in the document');
    const timeline = panel.frame.getByRole('log', { name: 'Output' });
    await timeline.focus();
    await window.workbench.page.keyboard.press('Home');
    await timeline.getByText('event number 1 of 5000').first().waitFor();
    await window.workbench.page.keyboard.press('End');
    await timeline.getByText('"done": 5000').last().waitFor();
  });

  it('shows hostile output as text: nothing runs, nothing loads, nothing is lost', async () => {
    const asked: string[] = [];
    window.workbench.page.on('request', (request) => asked.push(request.url()));
    panel = await open('hostile');
    await panel.send('Do your worst.');
    assert.equal(await panel.outcome(), 'Done');
    await panel.frame.getByText('The end.', { exact: true }).waitFor();
    await seeEverything(panel.frame.getByRole('log', { name: 'Output' }));
    assert.deepEqual(await dangersIn(panel.frame), []);
    await look(window.workbench, panel.frame, 'run-hostile');
    await panel.send('And again.');
    assert.equal(await panel.outcome(2), 'Done');

    await panel.button('Show Trace').click();
    const trace = new TracePanelPage(window.workbench.page, await window.workbench.webview('Trace: hostile'));
    await trace.select('answer');
    await trace.part('Output').getByText('The end.').waitFor();
    await seeEverything(trace.details.locator('.body'));
    await trace.part('Output').getByRole('button', { name: 'JSON' }).click();
    await trace.part('Output').getByText('messages:').waitFor();
    assert.deepEqual(await dangersIn(trace.frame), []);
    await look(window.workbench, trace.frame, 'trace-hostile');
    assert.deepEqual(
      asked.filter((url) => url.includes('evil.example')),
      [],
    );
  });

  it('has caused no error on the console', () => {
    // VS Code itself logs a save that was refused, as one is on purpose.
    const others = window.workbench.problems().filter((problem) => !problem.includes('state.json'));
    assert.deepEqual(others, []);
  });
});
