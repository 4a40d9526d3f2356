import type { CheckpointTuple } from '../../protocol/protocol.ts';

const ID = /[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}/g;

/** The UUIDs in the serialized values of a state, in any format. */
export function idsInState(state: Pick<CheckpointTuple, 'channel_values'> | null): ReadonlySet<string> {
  const values = Object.values(state?.channel_values ?? {});
  return new Set(
    values.flatMap(({ encoding, data }) => {
      const text = encoding === 'utf8' ? data : Buffer.from(data, 'base64').toString('latin1');
      return text.match(ID) ?? [];
    }),
  );
}
