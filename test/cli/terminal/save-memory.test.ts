import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Calls a function of JavaScript and one of WebAssembly often, and asks V8 how they are compiled then. */
const SCRIPT = `
  const { saveMemory } = await import(process.argv[1]);
  saveMemory();
  const add = (a, b) => a + b;
  const bytes = [0,97,115,109,1,0,0,0,1,7,1,96,2,127,127,1,127,3,2,1,0,7,7,1,3,97,100,100,0,0,10,9,1,7,0,32,0,32,1,106,11];
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(bytes)));
  let sum = 0;
  for (let index = 0; index < 1e6; index++) sum = add(sum, exports.add(index, 1));
  const OPTIMIZED = 16;
  console.log((%GetOptimizationStatus(add) & OPTIMIZED) !== 0, %IsLiftoffFunction(exports.add));
`;

describe('a command that waits in the foreground', () => {
  it('does not optimize code', async () => {
    const module = new URL('../../../src/cli/terminal/save-memory.ts', import.meta.url).href;
    const args = ['--allow-natives-syntax', '--input-type=module', '--eval', SCRIPT, module];
    const { stdout } = await run(process.execPath, args);
    assert.equal(stdout, 'false true\n');
  });
});
