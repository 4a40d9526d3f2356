import Mocha from 'mocha';
import { patience } from './wait.ts';

/*
 * Required by mocha. On a busy machine, this lengthens the time limit of each test and hook by the same factor as that of
 * its waits: a wait that ends before its test says what was missing. The limit for loading graphs is lengthened, too.
 */
const { Runnable, Test } = Mocha;
const { timeout } = Runnable.prototype;
const { clone } = Test.prototype;

if (patience !== 1) {
  process.env.AGENT_HARBOR_LOAD_SECONDS ??= String(60 * patience);
  Runnable.prototype.timeout = function (...ms) {
    const answer = timeout.apply(this, ms);
    return ms.length === 0 ? answer * patience : answer;
  };
  // When mocha retries a test, it runs a copy with the limit that it read from the test.
  Test.prototype.clone = function () {
    return clone.call(this).timeout(this.timeout() / patience);
  };
}
