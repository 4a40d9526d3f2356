import assert from 'node:assert/strict';
import { DocumentTexts } from '../../../src/extension/documents/document-texts.ts';
import { WindowDrafts } from '../../../src/extension/documents/draft-store.ts';

const KEY = 'agent-harbor-state:/a.json';

/** A window's memory; what another window would find in it. */
function memory() {
  const values = new Map<string, unknown>();
  return {
    get: (key: string) => values.get(key),
    update: async (key: string, value: unknown) => {
      values.set(key, structuredClone(value));
    },
  };
}

function texts(stored = memory()) {
  const kept = new DocumentTexts<{ n: number }>(new WindowDrafts(stored));
  const note = (n: number) =>
    kept.note(KEY, { resource: { n }, version: String(n), changed: 1_000 }, () => `{"n": ${n}}`);
  return { kept, note };
}

describe('the text of a document that is kept on a server', () => {
  it('is the newest one as long as there is no draft', async () => {
    const { kept, note } = texts();
    await note(10);
    const before = kept.shown(KEY);
    await note(55);
    const after = kept.shown(KEY);
    assert.deepEqual([before.text, after.text], ['{"n": 10}', '{"n": 55}']);
    assert.ok(after.time > before.time);
    assert.notEqual(after.size, before.size, 'VS Code overwrites a newer file of the same size');
  });

  it('stays a draft, whatever changes on the server, until it is saved', async () => {
    const { kept, note } = texts();
    await note(1);
    kept.keepDraft(KEY, '{"n": 5}');
    const draft = kept.shown(KEY);
    assert.equal(kept.draftState(KEY), 'current');
    for (const n of [2, 3, 77]) await note(n);
    assert.deepEqual(kept.shown(KEY), draft);
    assert.equal(kept.draftState(KEY), 'outdated');
    assert.equal(kept.newestText(KEY), '{"n": 77}');
    // VS Code's next save is still made from the first version.
    kept.keepDraft(KEY, '{"n": 6}');
    assert.equal(kept.draftState(KEY), 'outdated');
    kept.noteSaved(KEY, { resource: { n: 6 }, version: '78', changed: 2_000 }, '{"n": 6}');
    assert.equal(kept.draftState(KEY), 'none');
    assert.equal(kept.shown(KEY).text, '{"n": 6}');
  });

  it('is newer than the draft when a person saves one whose resource has changed', async () => {
    const { kept, note } = texts();
    await note(10);
    kept.keepDraft(KEY, '{"n": 22}');
    kept.beginSave(KEY);
    assert.equal(kept.shown(KEY).text, '{"n": 22}', 'nothing has changed yet');
    const draft = kept.shown(KEY);
    await note(33);
    kept.beginSave(KEY);
    const newest = kept.shown(KEY);
    assert.equal(newest.text, '{"n": 33}');
    assert.ok(newest.time > draft.time);
    assert.notEqual(newest.size, draft.size);
  });

  it('is still the draft after the window was reloaded, and says what has changed meanwhile', async () => {
    const stored = memory();
    const first = texts(stored);
    await first.note(1);
    first.kept.keepDraft(KEY, '{"n": 5}');
    const same = texts(stored);
    await same.note(1);
    assert.equal(same.kept.shown(KEY).text, '{"n": 5}');
    assert.equal(same.kept.draftState(KEY), 'current');
    const later = texts(stored);
    await later.note(2);
    assert.equal(later.kept.shown(KEY).text, '{"n": 5}');
    assert.equal(later.kept.draftState(KEY), 'outdated');
    later.kept.discardDraft(KEY);
    assert.equal(later.kept.shown(KEY).text, '{"n": 2}');
    const last = texts(stored);
    await last.note(2);
    assert.equal(last.kept.draftState(KEY), 'none');
  });

  it('is no draft where the server has the same text', async () => {
    const { kept, note } = texts();
    await note(1);
    kept.keepDraft(KEY, '{"n": 2}');
    await note(2);
    assert.equal(kept.draftState(KEY), 'none');
  });

  it('is shown as the server changed it when it was saved', async () => {
    const { kept, note } = texts();
    await note(1);
    kept.noteSaved(KEY, { resource: { n: 2 }, version: '2', changed: 2_000 }, 'mine', 'theirs');
    assert.equal(kept.shown(KEY).text, 'mine');
    assert.equal(kept.showSaved(KEY), true);
    assert.equal(kept.shown(KEY).text, 'theirs');
    assert.equal(kept.showSaved(KEY), false);
  });
});

describe('drafts of a window', () => {
  it('are the newest fifty', () => {
    const drafts = new WindowDrafts(memory());
    for (let n = 0; n < 60; n++) drafts.write(`key ${n}`, { text: String(n), version: 'a' });
    assert.equal(drafts.read('key 9'), undefined);
    assert.equal(drafts.read('key 10')?.text, '10');
    assert.equal(drafts.read('key 59')?.text, '59');
  });
});
