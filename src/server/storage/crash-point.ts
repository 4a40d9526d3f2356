/**
 * Kills the process at this point, if the fault tests request it: with `AGENT_HARBOR_CRASH_AT=<name>`, or `<name>:<n>`
 * for the n-th time that the point is reached.
 */
export function crashPoint(name: string): void {
  if (wanted === undefined || wanted.name !== name) return;
  if (--wanted.times <= 0) process.kill(process.pid, 'SIGKILL');
}

const wanted = parse(process.env.AGENT_HARBOR_CRASH_AT);

function parse(text: string | undefined): { name: string; times: number } | undefined {
  if (text === undefined || text === '') return undefined;
  const [name = '', times = '1'] = text.split(':');
  return { name, times: Number(times) };
}
