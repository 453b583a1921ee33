import { randomBytes } from 'node:crypto'
import type { SigningKeys } from '../domain/ports.ts'
import { keysInUse } from '../domain/signing-key.ts'

/** A new key signs from now on; keys whose last token is dead are removed. */
export const rotateKeys =
  ({ signingKeys, now }: { signingKeys: SigningKeys; now: () => Date }) =>
  async (): Promise<{ kid: string; removed: number }> => {
    const kid = randomBytes(9).toString('base64url')
    await signingKeys.add(kid)
    const all = await signingKeys.list()
    const kept = new Set(keysInUse(all, now()).map((key) => key.kid))
    const dead = all.filter((key) => !kept.has(key.kid)).map((key) => key.kid)
    await signingKeys.remove(dead)
    return { kid, removed: dead.length }
  }
