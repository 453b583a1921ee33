import { z } from 'zod'
import { Cursor, pageLimit } from './query.ts'
import { characters } from './resource.ts'

export const Sort = z.enum(['createdAt:desc', 'createdAt:asc', 'name:asc', 'name:desc'])
export type Sort = z.infer<typeof Sort>

/** Ignored before API version 2026-04-28. */
export const ListQuery = z.object({
  cursor: Cursor.optional(),
  limit: pageLimit(200, 50),
  sort: Sort.meta({ default: 'createdAt:desc' }).default('createdAt:desc'),
  q: characters(200).optional(),
  anchor: z.literal('end').optional(),
})
export type ListQuery = z.infer<typeof ListQuery>

export const PageMeta = z.object({ hasMore: z.boolean(), nextCursor: z.string(), total: z.int() })

export const cursorPage = <Item extends z.ZodType>(item: Item) =>
  z.object({ data: z.array(item), meta: PageMeta.omit({ total: true }) })

export const page = <Item extends z.ZodType>(item: Item) => z.object({ data: z.array(item), meta: PageMeta })

export const listing = <Item extends z.ZodType>(item: Item) =>
  z.xor([
    page(item).meta({ description: 'From 2026-04-28: one page.' }),
    z.array(item).meta({
      description: 'Before 2026-04-28 and without a version: a bare array. Query parameters are ignored.',
    }),
  ])

export type Page<Item> = { data: Item[]; meta: z.infer<typeof PageMeta> }
