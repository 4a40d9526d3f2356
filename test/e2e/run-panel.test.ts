import assert from 'node:assert/strict';
import path from 'node:path';
import { projectRoot } from '../support/cache.ts';
import { HarborWindow } from './pages/harbor-window.ts';
import { attachmentFlows } from './run-panel/attachments.ts';
import { breakpointFlows } from './run-panel/breakpoints.ts';
import { errorFlows } from './run-panel/errors.ts';
import { graphFlows } from './run-panel/graph.ts';
import { hostileOutputFlows } from './run-panel/hostile-output.ts';
import { inputFlows } from './run-panel/input.ts';
import { interruptFlows } from './run-panel/interrupts.ts';
import { loneNodeFlows } from './run-panel/lone-nodes.ts';
import { manyEventsFlows } from './run-panel/many-events.ts';
import { PanelAgents } from './run-panel/panel-agents.ts';
import { sidebarFlows } from './run-panel/sidebar.ts';
import { stateDocumentFlows } from './run-panel/state-document.ts';

describe('the run panel', function () {
  this.timeout(180_000);
  let window: HarborWindow;
  let agents: PanelAgents;

  before(async () => {
    window = await HarborWindow.open({
      folder: path.join(projectRoot, 'test', 'fixtures', 'panel-agents'),
      // This build of VS Code lacks the TypeScript language server, and complains about that.
      settings: {
        'files.associations': { '*.mjs': 'plaintext' },
        // In the browser VS Code saves by itself unless told otherwise.
        'files.autoSave': 'off',
        // Typed text is not completed.
        'editor.autoClosingQuotes': 'never',
        'editor.quickSuggestions': { other: 'off', comments: 'off', strings: 'off' },
      },
    });
    agents = new PanelAgents(window);
    await window.openViews('order');
  });

  after(() => window?.close());

  afterEach(function () {
    return window.workbench.afterTest(this.currentTest);
  });

  inputFlows(() => agents);
  breakpointFlows(() => agents);
  graphFlows(() => agents);
  interruptFlows(() => agents);
  stateDocumentFlows(() => agents);
  loneNodeFlows(() => agents);
  errorFlows(() => agents);
  sidebarFlows(() => agents);
  manyEventsFlows(() => agents);
  attachmentFlows(() => agents);
  hostileOutputFlows(() => agents);

  it('has caused no error on the console', () => {
    // VS Code itself logs a refused save, which happens here on purpose.
    const others = window.workbench.problems().filter((problem) => !problem.includes('state.json'));
    assert.deepEqual(others, []);
  });
});
