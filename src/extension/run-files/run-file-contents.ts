import type { RunFileHead, RunFileLine } from '../../replay/run-file.ts';

/** The contents of a run file, counted while its lines are written. */
export class RunFileContents {
  /** The first line, once it has been passed on. */
  head: RunFileHead | undefined;
  requests = 0;
  states = 0;
  spans = 0;
  feedback = 0;
  /** The hosts of the requests, in order of first use. */
  readonly hosts = new Set<string>();

  /** Passes lines on, and counts them. */
  async *count(lines: AsyncIterable<RunFileLine>): AsyncGenerator<RunFileLine, void, undefined> {
    for await (const line of lines) {
      this.#add(line);
      yield line;
    }
  }

  #add(line: RunFileLine): void {
    switch (line.kind) {
      case 'agentrun':
        this.head = line;
        break;
      case 'exchange':
        this.requests++;
        this.hosts.add(URL.parse(line.request.url)?.host ?? line.request.url);
        break;
      case 'checkpoint':
        this.states++;
        break;
      case 'span':
        this.spans++;
        break;
      case 'feedback':
        this.feedback++;
        break;
      default:
        break;
    }
  }
}
