// The return page sends the result to the page with the button over a BroadcastChannel, which is limited to one origin.
// window.opener does not work: Causeway and providers set Cross-Origin-Opener-Policy, which severs it.

/** Only a hint for the page. Your server gets the result from `connect.finish`. */
export type ConnectResult = {
  /** The `status` of the link. */
  status: string
  causeCode?: string
}

export const openChannel = (): BroadcastChannel => new BroadcastChannel('causeway-connect')

export function resultIn(data: unknown): ConnectResult | undefined {
  const { status, causeCode } = (typeof data === 'object' && data !== null ? data : {}) as Partial<ConnectResult>
  if (typeof status !== 'string') return undefined
  return typeof causeCode === 'string' ? { status, causeCode } : { status }
}
