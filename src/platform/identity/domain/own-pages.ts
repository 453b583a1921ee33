/** The platform's pages as an OAuth client. It gets no code or token: it reads the authorization server's session. */
export const ownPages = { clientId: 'platform-pages', name: 'the platform', returnPath: '/oauth/signed-in' } as const

/** Returns a local path. Browsers treat `//` as another server. */
export function safeReturnPath(text: unknown): string {
  const isOurs = typeof text === 'string' && /^\/(?![/\\])[\x21-\x7e]*$/.test(text)
  return isOurs ? text : '/billing'
}
