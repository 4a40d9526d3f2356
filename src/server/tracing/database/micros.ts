/** Microseconds since 1970: as exact as clients send it, and small. */
export type Micros = number;
