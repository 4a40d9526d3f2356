/** A time in microseconds since 1970: as precise as clients send it, and small. */
export type Micros = number;
