import { clearTraceFilter } from './clear-trace-filter.ts';
import { compareTraces } from './compare-traces.ts';
import { copySpanId } from './copy-span-id.ts';
import { exportTrace } from './export-trace.ts';
import { filterTraces } from './filter-traces.ts';
import { fixWithChat } from './fix-with-chat.ts';
import { importTraces } from './import-traces.ts';
import { keepTraceOpen } from './keep-trace-open.ts';
import { openSpan } from './open-span.ts';
import { openTrace } from './open-trace.ts';
import { receiveTraces } from './receive-traces.ts';
import { searchTraces } from './search-traces.ts';
import { showTrace } from './show-trace.ts';

/** Commands about traces. */
export const traceCommands = {
  clearTraceFilter,
  compareTraces,
  copySpanId,
  exportTrace,
  filterTraces,
  importTraces,
  fixWithChat,
  keepTraceOpen,
  openSpan,
  openTrace,
  receiveTraces,
  searchTraces,
  showTrace,
};
