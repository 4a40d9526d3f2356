import Mocha from 'mocha';
import { patience } from './wait.ts';

/*
 * Required by mocha. On a busy machine, the time limit of each test and hook is as many times as long as what is
 * waited for in it may take: a wait that ends before its test says what was missing. So is that of graphs that load.
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
  // Mocha runs a copy of a test that is tried again, and gives it the limit that it read.
  Test.prototype.clone = function () {
    return clone.call(this).timeout(this.timeout() / patience);
  };
}
