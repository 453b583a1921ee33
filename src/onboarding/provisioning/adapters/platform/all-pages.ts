import type { z } from 'zod'
import { DependencyError } from '../../../domain/dependency-error.ts'
import type { PlatformHttp } from './platform-http.ts'

const maxPages = 20

type Page<Item> = { data: Item[]; meta: { hasMore: boolean; nextCursor: string } }

/** Returns all items of a list. Another platform may lack the list, which counts as empty. */
export async function allPages<Item>(
  http: Pick<PlatformHttp, 'look'>,
  path: string,
  schema: z.ZodType<Page<Item>>,
  query: Record<string, string>,
): Promise<Item[]> {
  const found: Item[] = []
  let cursor = ''
  for (let pages = 0; pages < maxPages; pages++) {
    const page = await read(http, path, schema, { ...query, ...(cursor && { cursor }) })
    found.push(...page.data)
    cursor = page.meta.nextCursor
    if (!page.meta.hasMore || cursor === '') break
  }
  return found
}

async function read<Item>(
  http: Pick<PlatformHttp, 'look'>,
  path: string,
  schema: z.ZodType<Page<Item>>,
  query: Record<string, string>,
): Promise<Page<Item>> {
  const { status, body } = await http.look(`${path}?${new URLSearchParams(query)}`)
  // The platform has no such endpoint, or the key may not read it.
  if (status === 404 || status === 403) return { data: [], meta: { hasMore: false, nextCursor: '' } }
  const page = schema.safeParse(body)
  if (status === 200 && page.success) return page.data
  throw new DependencyError('platform_unavailable', {
    retry: {},
    detail: `${path.slice(1).replace('-', ' ')}: ${status}`,
  })
}
