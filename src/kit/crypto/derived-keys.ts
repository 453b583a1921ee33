import { hkdfSync } from 'node:crypto'
import type { Keyring } from './sealed-box.ts'

/** A key for one purpose from each master key, so that what was made for one use is worthless for another. */
export const derivedKeys = ({ keys }: Keyring, purpose: string): Map<string, Buffer> =>
  new Map([...keys].map(([id, master]) => [id, Buffer.from(hkdfSync('sha256', master.reveal(), '', purpose, 32))]))
