/**
 * Loaded before everything else in a process whose main thread `SIGUSR2` holds: nothing else happens in it until the file
 * `RELEASE_FILE` exists. While it is held, there is a file `HELD_FILE`.
 */
const { existsSync, rmSync, writeFileSync } = require('node:fs');
const { isMainThread } = require('node:worker_threads');

if (isMainThread) {
  process.on('SIGUSR2', () => {
    writeFileSync(process.env.HELD_FILE, '');
    while (!existsSync(process.env.RELEASE_FILE)) {
      // Stays busy, like code that computes something, instead of resting in a timer.
      for (let turn = 0; turn < 1e7; turn++);
    }
    rmSync(process.env.HELD_FILE);
  });
}
