/**
 * Reads a stream of server-sent events to its end, without keeping it in memory. @returns the number of events with
 * this name.
 */
export async function countEvents(response: Response, event: string): Promise<number> {
  if (!response.ok || response.body === null) throw new Error(`${response.url} answered ${response.status}`);
  const marker = Buffer.from(`event: ${event}\n`);
  let count = 0;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of response.body) {
    const bytes = Buffer.concat([rest, chunk]);
    let at = bytes.indexOf(marker);
    while (at >= 0) {
      count += 1;
      at = bytes.indexOf(marker, at + marker.length);
    }
    // The end of a chunk may cut a marker. A whole marker is never counted twice, because it is longer than
    // the kept end.
    rest = bytes.subarray(Math.max(0, bytes.length - marker.length + 1));
  }
  return count;
}
