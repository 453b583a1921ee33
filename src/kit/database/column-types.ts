import pg from 'pg'

/** How values of columns are read: as the driver does, but for the types named here. */
export const columnTypes = new pg.TypeOverrides()

// bigint counts are far below 2^53 here, and a string in a place of a number is a bug in waiting.
columnTypes.setTypeParser(pg.types.builtins.INT8, Number)

/** The driver's types say that a parser of texts takes a number. */
export const columnReader = (type: number) =>
  columnTypes.getTypeParser(type, 'text') as unknown as (text: string) => unknown
