/** Whether tokens went into a model or came out of it. */
export type Direction = 'input' | 'output';

interface Unit {
  readonly direction?: Direction;
  /**
   * Marks that distinguish the unit's tokens from others in the same direction; a unit with more marks is part of one
   * with fewer.
   */
  readonly marks: readonly string[];
  /** How many tokens or other units the price is for. */
  readonly per: number;
}

const MILLION = 1_000_000;

/** The units that are billed, by the key of their price in the data of `@pydantic/genai-prices`. */
export const PRICE_UNITS: Readonly<Record<string, Unit>> = {
  input_mtok: { direction: 'input', marks: [], per: MILLION },
  cache_read_mtok: { direction: 'input', marks: ['cache_read'], per: MILLION },
  cache_write_mtok: { direction: 'input', marks: ['cache_creation'], per: MILLION },
  cache_write_1h_mtok: { direction: 'input', marks: ['cache_creation', '1h'], per: MILLION },
  input_audio_mtok: { direction: 'input', marks: ['audio'], per: MILLION },
  cache_audio_read_mtok: { direction: 'input', marks: ['cache_read', 'audio'], per: MILLION },
  output_mtok: { direction: 'output', marks: [], per: MILLION },
  output_reasoning_mtok: { direction: 'output', marks: ['reasoning'], per: MILLION },
  output_audio_mtok: { direction: 'output', marks: ['audio'], per: MILLION },
  web_searches_kcount: { marks: ['web_searches'], per: 1_000 },
  requests_kcount: { marks: ['requests'], per: 1_000 },
};
