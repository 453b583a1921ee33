import { randomUUID } from 'node:crypto'

// Replace with your login. On globalThis, because Next.js bundles this file several times.
globalThis.exampleSessions ??= new Map()

/** @param {Awaited<ReturnType<import('next/headers').cookies>>} cookies */
export function sessionOf(cookies) {
  const sent = cookies.get('session')?.value
  if (sent && globalThis.exampleSessions.has(sent)) return globalThis.exampleSessions.get(sent)
  const id = randomUUID()
  const session = { userId: `user-${randomUUID()}` }
  globalThis.exampleSessions.set(id, session)
  // Strict cookies are not sent when the user returns from another site.
  cookies.set('session', id, { httpOnly: true, sameSite: 'lax', path: '/' })
  return session
}

export const readSession = (cookies) => globalThis.exampleSessions.get(cookies.get('session')?.value ?? '')
