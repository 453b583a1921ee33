/**
 * The platform's own pages, as an app that people sign in to. It is given no code and no token: it reads the session
 * that the authorization server keeps with the browser, so a person who comes back has signed in.
 */
export const ownPages = { clientId: 'platform-pages', name: 'the platform', returnPath: '/oauth/signed-in' } as const

/** Where a person is sent after signing in: a path of ours, or the start. A browser takes `//` for another server. */
export function safeReturnPath(text: unknown): string {
  const isOurs = typeof text === 'string' && /^\/(?![/\\])[\x21-\x7e]*$/.test(text)
  return isOurs ? text : '/billing'
}
