import assert from 'node:assert/strict';
import path from 'node:path';
import { GraphLoads } from '../../../src/extension/testing/graph-loads.ts';

const config = path.join(path.sep, 'agent', 'langgraph.json');
const source = path.join(path.sep, 'agent', 'graph.ts');
const at = (loadId: string | undefined) => [{ config, loadId, isLoading: false }];
const loading = [{ config, loadId: undefined, isLoading: true }];

describe('the loads of graphs that a window has seen', () => {
  it('are taken once each, even when it did not notice that the graphs were gone between two', () => {
    const loads = new GraphLoads();
    assert.deepEqual(loads.takeReloaded(at(undefined)), []);
    assert.deepEqual(loads.takeReloaded(at('first')), [config]);
    assert.deepEqual(loads.takeReloaded(at('first')), []);
    assert.deepEqual(loads.takeReloaded(at('second')), [config]);
    assert.deepEqual(loads.takeReloaded(at(undefined)), []);
    assert.deepEqual(loads.takeReloaded(at('third')), [config]);
  });

  it('are older than what was saved after them, or while they were in progress', () => {
    const loads = new GraphLoads();
    loads.takeReloaded(at('first'));
    loads.noteSaved(path.join(path.sep, 'elsewhere', 'graph.ts'));
    assert.equal(loads.hasNewerSources(config), false);
    loads.noteSaved(source);
    assert.equal(loads.hasNewerSources(config), true);
    loads.takeReloaded(loading);
    loads.noteSaved(source);
    loads.takeReloaded(at('second'));
    assert.equal(loads.hasNewerSources(config), true);
    loads.takeReloaded(loading);
    loads.takeReloaded(at('third'));
    assert.equal(loads.hasNewerSources(config), false);
  });

  it('are older than what was saved between two looks at the same load', () => {
    const loads = new GraphLoads();
    loads.takeReloaded(loading);
    loads.noteSaved(source);
    loads.takeReloaded(loading);
    loads.takeReloaded(at('first'));
    assert.equal(loads.hasNewerSources(config), true);
  });

  it('include what was saved while nothing was loading', () => {
    const loads = new GraphLoads();
    loads.takeReloaded(loading);
    loads.noteSaved(source);
    // The load failed, or the folder was closed.
    loads.takeReloaded(at(undefined));
    loads.noteSaved(source);
    loads.takeReloaded(at(undefined));
    loads.takeReloaded(loading);
    loads.takeReloaded(at('first'));
    assert.equal(loads.hasNewerSources(config), false);
  });
});
