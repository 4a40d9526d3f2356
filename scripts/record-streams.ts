/**
 * Records test/fixtures/streams again, with every supported version of LangGraph: `node scripts/record-streams.ts
 * [javascript-1.7 …]`.
 */
import { record, recordDeepAgents } from '../test/support/streams/record.ts';
import { deepAgents, recordedLines, writeRecording } from '../test/support/streams/recordings.ts';

const wanted = process.argv.slice(2);
for (const line of recordedLines) {
  if (wanted.length > 0 && !wanted.includes(line.name)) continue;
  const runs = await record(line);
  await writeRecording(line, runs);
  console.log(`${line.name}: ${runs.length} runs`);
}
for (const deepAgent of deepAgents) {
  if (wanted.length > 0 && !wanted.includes(deepAgent.name)) continue;
  const runs = await recordDeepAgents(deepAgent);
  await writeRecording(deepAgent, runs);
  console.log(`${deepAgent.name}: ${runs.length} runs`);
}
