import assert from 'node:assert/strict';
import { readTeamPlatform } from '../../../src/server/team/team-platform.ts';

describe('the environment of a server of a platform', () => {
  const given = {
    AGENT_HARBOR_DATABASE: 'postgres://127.0.0.1/harbor',
    AGENT_HARBOR_API_KEY: 'a-key-of-sixteen-and-more',
    AGENT_HARBOR_OBJECTS: '/mnt/harbor',
    AGENT_HARBOR_SECRETS_KEY: '00'.repeat(32),
  };

  it('says where the traces of its graphs go, unless it takes them itself', () => {
    const { roles, url } = readTeamPlatform(given);
    assert.deepEqual([...roles], ['api', 'runs', 'builds', 'traces']);
    assert.equal(url, 'http://127.0.0.1:8000');
    const runs = { ...given, AGENT_HARBOR_ROLES: 'runs' };
    assert.throws(() => readTeamPlatform(runs), /Set AGENT_HARBOR_URL to where clients reach the team/);
    const told = readTeamPlatform({ ...runs, AGENT_HARBOR_URL: 'https://agents.example.com/' });
    assert.deepEqual([[...told.roles], told.url], [['runs'], 'https://agents.example.com']);
  });
  it('may name a replica, by its URL', () => {
    assert.equal(readTeamPlatform(given).replica, undefined);
    const replica = 'postgres://reader@127.0.0.2/harbor';
    assert.equal(readTeamPlatform({ ...given, AGENT_HARBOR_DATABASE_REPLICA: replica }).replica, replica);
    const wrong = { ...given, AGENT_HARBOR_DATABASE_REPLICA: '127.0.0.2' };
    assert.throws(() => readTeamPlatform(wrong), /AGENT_HARBOR_DATABASE_REPLICA must be the URL/);
  });
});
