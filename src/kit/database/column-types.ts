import pg from 'pg'

export const columnTypes = new pg.TypeOverrides()

// Counts stay far below 2^53.
columnTypes.setTypeParser(pg.types.builtins.INT8, Number)

/** The types of the driver declare the wrong parameter. */
export const columnReader = (type: number) =>
  columnTypes.getTypeParser(type, 'text') as unknown as (text: string) => unknown
