import assert from 'node:assert/strict';
import { exampleFolder } from '../support/example.ts';
import { assistantFlows, REFUSED_SAVE } from './flows/assistants.ts';
import { datasetFlows } from './flows/datasets.ts';
import { Place } from './flows/place.ts';
import { purgingFlows } from './flows/purging.ts';
import { retentionFlows } from './flows/retention.ts';
import { runPanelFlows } from './flows/run-panel.ts';
import { threadFlows } from './flows/threads.ts';
import { traceFlows } from './flows/traces.ts';
import { HarborWindow } from './pages/harbor-window.ts';

describe('the views', function () {
  this.timeout(180_000);
  let window: HarborWindow;
  let place: Place;

  before(async () => {
    window = await HarborWindow.open({
      folder: await exampleFolder('docs-agent'),
      // In the browser VS Code saves by itself unless told otherwise.
      settings: {
        'files.autoSave': 'off',
        // Typed text is not completed.
        'editor.autoClosingQuotes': 'never',
        'editor.autoClosingBrackets': 'never',
      },
      // Tall enough for every row.
      size: { width: 1280, height: 1400 },
    });
    await window.openViews('docs_agent');
    place = await Place.open({ workbench: window.workbench, client: await window.agentClient() });
  });

  after(() => window?.close());

  afterEach(function () {
    return window.workbench.afterTest(this.currentTest);
  });

  describe('of assistants', () => assistantFlows(() => place));
  describe('of threads', () => threadFlows(() => place));
  describe('of traces', () => traceFlows(() => place));
  describe('datasets', () => datasetFlows(() => place));
  describe('purge', () => purgingFlows(() => place));
  describe('retention', () => retentionFlows(() => place));
  describe('the run panel they open', () =>
    runPanelFlows(() => ({
      ...place,
      // New assistants do not change the row in Deployments.
      open: () => window.newRunPanel('Deployments', ['docs-agent', 'docs_agent']),
    })));

  // In a separate group, because a test beside groups runs before them.
  describe('afterwards', () => {
    it('have caused no error on the console', () => {
      const others = window.workbench.problems().filter((problem) => !REFUSED_SAVE.test(problem));
      assert.deepEqual(others, []);
    });
  });
});
