import assert from 'node:assert/strict';
import { BuildLog, type ImageBuildError } from '../../src/images/build-log.ts';

const LINES = [
  { text: 'FROM node:20-bookworm-slim' },
  { text: '' },
  { text: '# dockerfile_lines of langgraph.json' },
  { text: 'RUN apt-get install -y \\', origin: 'dockerfile_lines[0]' },
  { text: '  no-such-package', origin: 'dockerfile_lines[0]' },
  { text: 'RUN npm ci' },
];
const TEXT = LINES.map(({ text }) => text).join('\n');

function failureAfter(log: string): ImageBuildError {
  const read = new BuildLog({ lines: LINES, text: TEXT }, TEXT);
  for (const line of log.split('\n')) read.add(line);
  return read.failure();
}

describe('a failed build of an image', () => {
  it('names the line of the Dockerfile and the key that it comes from, with the output of Podman', () => {
    const failure = failureAfter(`STEP 1/3: FROM node:20-bookworm-slim
STEP 2/3: RUN apt-get install -y   no-such-package
Reading package lists...
E: Unable to locate package no-such-package
time="2026-01-01T00:00:00Z" level=warning msg="noise"
Error: building at STEP "RUN apt-get install -y   no-such-package": while running runtime: exit status 100`);
    assert.equal(failure.line, 4);
    assert.equal(failure.origin, 'dockerfile_lines[0]');
    assert.equal(failure.logLine, 1);
    assert.equal(
      failure.message,
      `The image could not be built: line 4 of the Dockerfile, dockerfile_lines[0] of langgraph.json, failed. RUN apt-get install -y no-such-package: exit status 100.
Reading package lists...
E: Unable to locate package no-such-package`,
    );
  });

  it('keeps errors that the command printed, with the output of Podman', () => {
    const failure = failureAfter(`STEP 3/3: RUN npm ci
ERROR: Could not find a version that satisfies the requirement nothing
Error: the command's own
Hint: see above
Error: building at STEP "RUN npm ci": while running runtime: exit status 1`);
    assert.equal(
      failure.message,
      `The image could not be built: line 6 of the Dockerfile failed. RUN npm ci: exit status 1.
ERROR: Could not find a version that satisfies the requirement nothing
Error: the command's own
Hint: see above`,
    );
  });

  it('names the line, with the output of Docker', () => {
    const failure = failureAfter(`#5 [2/3] RUN apt-get install
#5 DONE 1.2s
#6 [3/3] RUN npm ci
#6 0.812 npm error code EUSAGE
#6 0.813 npm error package.json and package-lock.json are not in sync
#6 ERROR: process "/bin/sh -c npm ci" did not complete successfully: exit code: 1
------
 > [3/3] RUN npm ci:
------
Dockerfile:6
--------------------
   5 |       no-such-package
   6 | >>> RUN npm ci
--------------------
ERROR: failed to build: failed to solve: process "/bin/sh -c npm ci" did not complete successfully: exit code: 1`);
    assert.equal(failure.line, 6);
    assert.equal(failure.origin, undefined);
    assert.equal(failure.logLine, 9);
    assert.match(failure.message, /: line 6 of the Dockerfile failed\. RUN npm ci: exit code: 1\.\n/);
    assert.match(failure.message, /npm error package\.json and package-lock\.json are not in sync/);
    assert.ok(!failure.message.includes('>>>'), failure.message);
  });

  it('shows the output of the tool when no line failed', () => {
    const failure = failureAfter('Error: something is wrong with the storage');
    assert.equal(failure.line, undefined);
    assert.equal(failure.message, 'The image could not be built: something is wrong with the storage.');
  });
});
