/**
 * How many entries an LRU cache may have. By its own setting for this (`max`) the library takes room for all of them
 * at once: some ten milliseconds and megabytes for every start of a program, most of which is never filled.
 */
export const atMost = (entries: number) => ({ maxSize: entries, sizeCalculation: () => 1 })
