import type { ApiVersion } from '../../../../contract/api-version.ts'

/** From this date on, lists come in pages and honour cursor, limit, sort, q and anchor; before, as one bare array. */
const date: ApiVersion = '2026-04-28'

export const isBeforePages = (asked: ApiVersion): boolean => asked < date
