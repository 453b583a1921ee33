import { randomFillSync } from 'node:crypto'

const pool = Buffer.alloc(4_096)
let used = pool.length

/** Random bytes, fetched from the system a page at a time: asking for each few of them costs more than using them. */
export function randomChunk(size: number): Buffer {
  if (used + size > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const chunk = Buffer.from(pool.subarray(used, used + size))
  pool.fill(0, used, used + size) // given out once, and nowhere else to be found
  used += size
  return chunk
}
