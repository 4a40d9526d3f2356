import assert from 'node:assert/strict';
import picocolors from 'picocolors';
import { DEPLOYMENT_COLUMNS, logLine, revisionColumns } from '../../src/cli/render/deployments.ts';

const PLAIN = picocolors.createColors(false);

describe('the table of revisions', () => {
  const titles = (source: 'github' | 'external_docker') =>
    revisionColumns({ source, active_revision_id: null }).map(({ title }) => title);

  it('has commits, or digests for images', () => {
    assert.deepEqual(titles('github').slice(0, 3), ['REVISION', 'STATUS', 'COMMIT']);
    assert.deepEqual(titles('external_docker').slice(0, 3), ['REVISION', 'STATUS', 'DIGEST']);
  });

  it('says how many files of a folder differed from the commit', () => {
    const [, , commit] = revisionColumns({ source: 'workspace', active_revision_id: null });
    const cell = (config: Record<string, unknown>) =>
      commit?.cell({ id: 'r', status: 'DEPLOYED', created_at: '', source_revision_config: config });
    const repo_commit_sha = '0123456789abcdef';
    assert.equal(cell({ repo_commit_sha, uncommitted_changes: 1 }), '0123456789ab + 1 change');
    assert.equal(cell({ repo_commit_sha, uncommitted_changes: 2 }), '0123456789ab + 2 changes');
    assert.equal(cell({ repo_commit_sha, uncommitted_changes: 0 }), '0123456789ab');
    assert.equal(cell({}), '-');
  });
});

describe('the note of a revision', () => {
  it('says that an earlier one is draining, and how many runs are left', () => {
    const columns = revisionColumns({ source: 'github', active_revision_id: 'live' });
    const note = columns.find(({ title }) => title === 'NOTE');
    const cell = (id: string, runs?: number) =>
      note?.cell({
        ...{ id, status: 'DEPLOYED', status_message: null, created_at: '' },
        ...(runs === undefined ? {} : { draining: { until: '2026-01-01T00:00:00.000Z', runs } }),
      });
    assert.deepEqual(
      [cell('earlier', 2), cell('earlier', 1), cell('earlier'), cell('live')],
      ['draining, 2 runs left', 'draining, 1 run left', '', 'live'],
    );
  });
});

describe('the table of deployments', () => {
  it('has a different word for every source', () => {
    const source = DEPLOYMENT_COLUMNS.find(({ title }) => title === 'SOURCE');
    const deployment = {
      ...{ id: 'd', name: 'd', tenant_id: 't', status: 'READY', problem: null },
      ...{ source_config: {}, source_revision_config: {}, secrets: [], created_at: '', updated_at: '' },
      ...{ latest_revision_id: 'r', active_revision_id: 'r', latest_revision_status: 'DEPLOYED' },
    };
    const named = ['github', 'internal_source', 'workspace', 'external_docker'].map((of) =>
      source?.cell({ ...deployment, source: of }),
    );
    assert.deepEqual(named, ['git', 'upload', 'folder', 'image']);
  });
});

describe('a line of a log in the terminal', () => {
  it('has the text of a line that a server in a container logged as JSON', () => {
    const entry = (message: string) => ({ id: '1', timestamp: 'now', level: 'INFO', message });
    assert.equal(
      logLine(entry('{"level":30,"time":1,"data_dir":"/data","msg":"ready"}'), PLAIN),
      'now ready data_dir=/data',
    );
    // JSON of another server is printed whole.
    assert.equal(logLine(entry('{"event":"ready"}'), PLAIN), 'now {"event":"ready"}');
  });
});
