import type { KoaContextWithOIDC } from 'oidc-provider'

/** The server of a client or an issuer did not answer. It may answer later. */
export class ServerUnreadable extends Error {}

/** Clients delete their login at `invalid_client`, which the library answers if their own server is down. */
export function askToRepeat(ctx: KoaContextWithOIDC, error: Error): void {
  const unreadable = unreadableIn(error)
  if (!unreadable) return
  ctx.status = 503
  ctx.body = { error: 'temporarily_unavailable', error_description: `${unreadable.message}; try again` }
}

function unreadableIn(error: unknown): ServerUnreadable | undefined {
  if (error instanceof ServerUnreadable) return error
  return error instanceof Error ? unreadableIn(error.cause) : undefined
}
