import assert from 'node:assert/strict';
import { DeploymentOutput } from '../../../../src/server/control-plane/serving/deployment-output.ts';

describe('the log of a served deployment', () => {
  const output = new DeploymentOutput(
    { write: () => {} },
    { deploymentId: 'd', builds: '/data/deployments/d/builds', ownKeys: ['the-key'] },
  );

  it('shows paths and file URLs in builds relative to the source', () => {
    for (const key of ['0123456789abcdef0123', '0123456789abcdef0123-ui'])
      assert.equal(
        output.redact(
          `at run (file:///data/deployments/d/builds/${key}/src/a.mjs:1), at /data/deployments/d/builds/${key}/b.py, at file:///data/deployments/d/builds/${key}/c.mjs`,
        ),
        'at run (src/a.mjs:1), at b.py, at c.mjs',
      );
  });

  it('masks keys, and leaves other text unchanged', () => {
    assert.equal(
      output.redact('the-key is in file:///elsewhere/file://'),
      '*** is in file:///elsewhere/file://',
    );
  });

  it('still masks the secrets of all earlier revisions, because kept ones may print', () => {
    const before = output.begin('1', ['first-secret']);
    output.begin('2', ['second-secret']);
    output.begin('3', ['third-secret']);
    output.alsoMask(['found-secret']);
    before();
    assert.equal(
      output.redact('the-key first-secret second-secret third-secret found-secret'),
      '*** *** *** *** ***',
    );
  });
});
