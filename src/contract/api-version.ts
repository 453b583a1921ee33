import { z } from 'zod'

/** Dates a client may name in the version header, oldest first. 2026-04-20 changed nothing. */
export const apiVersions = ['2026-04-16', '2026-04-20', '2026-04-28'] as const

export const ApiVersion = z.enum(apiVersions)
export type ApiVersion = z.infer<typeof ApiVersion>

/** What applies when the header is omitted: the earliest stable version. */
export const defaultApiVersion: ApiVersion = '2026-04-16'

export const newestApiVersion: ApiVersion = '2026-04-28'
