import assert from 'node:assert/strict';
import type { Change } from '../../../src/contract/harbor.ts';
import { ChangeFeed } from '../../../src/server/http/change-feed.ts';
import { type Postgres, requirePostgres } from '../../support/postgres.ts';
import { openTeamState } from '../../support/team-state.ts';
import { eventually } from '../../support/wait.ts';

const created = (id: string): Change => ({ resource: 'thread', action: 'created', id });

describe('the change feed', () => {
  it('brings the changes of a newer server that it knows, and leaves out the others', () => {
    const heard: string[] = [];
    let tell = (_message: unknown) => {};
    const feed = new ChangeFeed({
      tell: () => {},
      listen: (_subject, listener) => {
        tell = listener;
        return () => {};
      },
    });
    feed.subscribe('w', (changes) => heard.push(...changes.map(({ id }) => id)));
    const unknown = { resource: 'satellite', action: 'launched', id: 'one' };
    tell({ workspaceId: 'w', changes: [created('first'), unknown, created('last')] });
    tell('something else');
    assert.deepEqual(heard, ['first', 'last']);
  });
});

describe('the change feed of a server of a team', function () {
  this.timeout(60_000);
  let postgres: Postgres;
  before(async function () {
    postgres = await requirePostgres(this);
  });
  after(() => postgres?.[Symbol.asyncDispose]());

  it('brings what changes on another one, once, in the same workspace', async () => {
    const url = await postgres.createDatabase();
    const [here, there] = [await openTeamState(url), await openTeamState(url)];
    // The second one knows from its start that there is another.
    const [feed, other] = [new ChangeFeed(there.bus), new ChangeFeed(here.bus)];
    const heard: string[] = [];
    const end = feed.subscribe('w', (changes) => heard.push(...changes.map(({ id }) => id)));
    // Others hear of the first listener by a notification as well.
    let tries = 0;
    const isHeard = () => {
      other.publish('w', created(`try ${++tries}`));
      return heard.length > 0;
    };
    await eventually('somebody is known to listen', isHeard);
    heard.length = 0;
    other.publish('another', created('of another workspace'));
    for (let at = 0; at < 50; at++) other.publish('w', created(`thread ${at}`));
    feed.publish('w', created('own'));
    const all = () => heard.filter((id) => !id.startsWith('try'));
    await eventually('all have been heard', () => all().length >= 51);
    const expected = ['own', ...Array.from({ length: 50 }, (_, at) => `thread ${at}`)];
    assert.deepEqual(all().toSorted(), expected.toSorted());
    end();
    for (const db of [here, there]) await db.destroy();
  });
});
