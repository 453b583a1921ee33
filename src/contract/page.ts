import { z } from 'zod'
import { characters } from './characters.ts'
import { Cursor, pageLimit } from './query.ts'

export const sorts = ['createdAt:desc', 'createdAt:asc', 'name:asc', 'name:desc'] as const

export const Sort = z.enum(sorts)
export type Sort = z.infer<typeof Sort>

/** What a list that comes in pages can be asked; before 2026-04-28 none of it is honoured. */
export const ListQuery = z.object({
  cursor: Cursor.optional(),
  limit: pageLimit(200, 50),
  sort: Sort.meta({ default: 'createdAt:desc' }).default('createdAt:desc'),
  q: characters(200).optional(),
  anchor: z.literal('end').optional(),
})
export type ListQuery = z.infer<typeof ListQuery>

export const PageMeta = z.object({ hasMore: z.boolean(), nextCursor: z.string(), total: z.int() })

/** A list from 2026-04-28 on; before that date the same resources stand in a bare array. */
export const page = <Item extends z.ZodType>(item: Item) => z.object({ data: z.array(item), meta: PageMeta })

/** The answer of a list that comes in pages, whatever version the caller speaks. */
export const listing = <Item extends z.ZodType>(item: Item) =>
  z.xor([
    page(item).meta({ description: 'From 2026-04-28 on: one page.' }),
    z.array(item).meta({
      description: 'Before 2026-04-28, and so where no version is named: a bare array, and no parameter is honoured.',
    }),
  ])

export type Page<Item> = { data: Item[]; meta: z.infer<typeof PageMeta> }
