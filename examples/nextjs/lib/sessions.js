import { randomUUID } from 'node:crypto'

// They stand for your login. Kept in the process, and there once for all bundles that Next.js makes of this file.
globalThis.exampleSessions ??= new Map()

/** @param {Awaited<ReturnType<import('next/headers').cookies>>} cookies */
export function sessionOf(cookies) {
  const sent = cookies.get('session')?.value
  if (sent && globalThis.exampleSessions.has(sent)) return globalThis.exampleSessions.get(sent)
  const id = randomUUID()
  const session = { userId: `user-${randomUUID()}` }
  globalThis.exampleSessions.set(id, session)
  // Lax: it must come along when the user returns from another site.
  cookies.set('session', id, { httpOnly: true, sameSite: 'lax', path: '/' })
  return session
}

export const readSession = (cookies) => globalThis.exampleSessions.get(cookies.get('session')?.value ?? '')
