import { randomBytes, scrypt as scryptCallback, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const scrypt = promisify<string, Buffer, number, object, Buffer>(scryptCallback)

/** About 60 ms and 32 MB per guess. */
const cost = { N: 2 ** 15, r: 8, p: 1, maxmem: 64 * 1024 * 1024 }

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16)
  const hash = await scrypt(password.normalize('NFKC'), salt, 32, cost)
  return `scrypt$${salt.toString('base64url')}$${hash.toString('base64url')}`
}

/** Takes the same time for unknown users, so that timing does not reveal accounts. */
export async function passwordMatches(password: string, stored: string | undefined): Promise<boolean> {
  const [, salt = '', expected = ''] = (stored ?? decoy).split('$')
  const hash = await scrypt(password.normalize('NFKC'), Buffer.from(salt, 'base64url'), 32, cost)
  return timingSafeEqual(hash, Buffer.from(expected, 'base64url')) && stored !== undefined
}

const decoy = `scrypt$${Buffer.alloc(16).toString('base64url')}$${Buffer.alloc(32).toString('base64url')}`

/** Sessions have whole seconds, so one that began in the second of the end stays valid. */
export const endedBy = (signedInAt: number | undefined, end: Date | undefined): boolean =>
  end !== undefined && (signedInAt ?? 0) < Math.floor(end.getTime() / 1000)
