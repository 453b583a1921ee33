import type { Page } from '../domain/ports/shared.ts'

/** Reads a list page by page, so that it is never in memory as a whole. */
export async function* pagesOf<T>(read: (cursor: string | undefined) => Promise<Page<T>>): AsyncGenerator<T[]> {
  let cursor: string | undefined
  do {
    const page = await read(cursor)
    yield page.data
    cursor = page.nextCursor
  } while (cursor !== undefined)
}
