import { z } from 'zod'

export const sorts = ['createdAt:desc', 'createdAt:asc', 'name:asc', 'name:desc'] as const

export const Sort = z.enum(sorts)
export type Sort = z.infer<typeof Sort>

export const PageMeta = z.object({ hasMore: z.boolean(), nextCursor: z.string(), total: z.int() })

/** A list from 2026-04-28 on; before that date the same resources stand in a bare array. */
export const page = <Item extends z.ZodType>(item: Item) => z.object({ data: z.array(item), meta: PageMeta })

export type Page<Item> = { data: Item[]; meta: z.infer<typeof PageMeta> }
