import assert from 'node:assert/strict';
import path from 'node:path';
import { cli } from '../../support/cli.ts';
import { dataFolder } from '../../support/data-folder.ts';
import { graphProject } from '../../support/projects.ts';

describe('a command that waits for graphs to load', function () {
  this.timeout(90_000);

  it('shows everything that they print meanwhile, also before it says that it waits', async () => {
    await using project = await graphProject({
      line: 'langgraph-1.7',
      files: {
        'slow.mjs': `
          console.log('downloading the model');
          await new Promise((resolve) => setTimeout(resolve, 3000));
          console.log('downloaded the model');
          export const graph = (await import('./basic.ts')).oneNode;
        `,
        'langgraph.json': JSON.stringify({ graphs: { slow: './slow.mjs:graph' } }),
      },
    });
    await using data = await dataFolder();
    const config = path.join(project.folder, 'langgraph.json');
    const { code, stderr } = await cli(['check', '--load', '--config', config, '--data-dir', data.path]);
    assert.equal(code, 0, stderr);
    assert.match(stderr, /^Loading the graphs of .*downloading the model\n.*downloaded the model\n/s);
  });
});
