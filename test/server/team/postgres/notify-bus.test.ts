import assert from 'node:assert/strict';
import { NotifyBus } from '../../../../src/server/team/postgres/notify-bus.ts';

const SUBJECT = 'slots:a';

describe('a question to the servers of a team', () => {
  it('is also answered by a server that does not yet know who listens', () => {
    const all: NotifyBus[] = [];
    const join = (listener: (bus: NotifyBus, news: unknown) => void) => {
      const bus = new NotifyBus((payload) => {
        for (const one of all) one.hear(payload);
      });
      all.push(bus);
      bus.listen(SUBJECT, (news) => listener(bus, news));
      return bus;
    };
    const answers: unknown[] = [];
    const first = join((_, news) => answers.push(news));
    // This server has just joined, and does not know yet which servers listen.
    join((bus, news) => bus.tell(SUBJECT, { answer: news }));
    first.tell(SUBJECT, 'question');
    assert.deepEqual(answers, [{ answer: 'question' }]);
    for (const bus of all) bus.close();
  });
});
