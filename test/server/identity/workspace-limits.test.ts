import { testLimits } from '../../support/workspace-limits.ts';

describe('the limits of a workspace', function () {
  this.timeout(90_000);
  testLimits();
});
