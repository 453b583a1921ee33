import type { ApiVersion } from '../../../../contract/headers.ts'

const date: ApiVersion = '2026-04-28'

export const isBeforePages = (asked: ApiVersion): boolean => asked < date
