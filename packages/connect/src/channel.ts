// How the return page tells the page with the button what became of it. The pages of Causeway and of providers cut a popup
// from its opener (Cross-Origin-Opener-Policy), so that neither has a reference to the other any more; a channel needs
// none. Only pages of the same origin hear it.

/** A hint for what to show: the truth is what your server was told. */
export type ConnectResult = {
  /** The `status` of the link: `linked`, `pending`, `denied`, `failed` and so on. */
  status: string
  causeCode?: string
}

export const openChannel = (): BroadcastChannel => new BroadcastChannel('causeway-connect')

export function resultIn(data: unknown): ConnectResult | undefined {
  const { status, causeCode } = (typeof data === 'object' && data !== null ? data : {}) as Partial<ConnectResult>
  if (typeof status !== 'string') return undefined
  return typeof causeCode === 'string' ? { status, causeCode } : { status }
}
