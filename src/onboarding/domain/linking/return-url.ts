/** Parameters that we append. Registered URLs must not contain them. */
export const reservedParameters = [
  'connect_session_id',
  'link_id',
  'status',
  'cause_code',
  'completion_code',
  'ts',
  'sig',
]

export function returnUrlError(raw: string): string | undefined {
  // Browsers drop tabs and newlines and read \ as /, so the checked URL would differ from the opened one.
  if (/[\s\\\p{Cc}]/u.test(raw)) return 'must not contain spaces, control characters or backslashes'
  if (!URL.canParse(raw)) return 'must be an absolute address'
  const url = new URL(raw)
  if (url.protocol !== 'https:' && !isLoopback(url)) return 'must be an https address'
  if (url.username || url.password) return 'must not carry a user name or password'
  if (raw.includes('#')) return 'must not carry a fragment'
  if (url.href !== raw) return `must be written in its normal form, ${url.href}`
  const reserved = reservedParameters.find((name) => url.searchParams.has(name))
  return reserved && `must not carry the parameter ${reserved}, which is ours`
}

/** Local development has no certificate, and only this machine can listen there. */
const isLoopback = (url: URL) => url.protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname)

export const isAllowedReturn = (returnUrl: string, allowed: readonly string[]): boolean => allowed.includes(returnUrl)

/** For links that a repair page of the platform led to: it verifies the person again. Only we create such sessions. */
export const repairReturn = (publicUrl: string, page: string): string =>
  `${publicUrl}/repair?${new URLSearchParams({ page })}`

export function repairPageIn(returnUrl: string, publicUrl: string): string | undefined {
  return returnUrl.startsWith(`${publicUrl}/repair?`)
    ? (new URL(returnUrl).searchParams.get('page') ?? undefined)
    : undefined
}

/** Where a tenant’s users come from, if all its return URLs are on one site. */
export function siteOf(returnUrls: readonly string[]): string | undefined {
  const origins = new Set(returnUrls.map((url) => new URL(url).origin))
  const [origin] = origins
  return origins.size === 1 ? `${origin}/` : undefined
}

export type Outcome = { connect_session_id: string; status: string } & Partial<
  Record<'link_id' | 'cause_code' | 'completion_code', string>
>

/** Sorted, so that both sides sign the same text. */
export function signedText(outcome: Outcome, timestamp: number): string {
  const fields = Object.entries({ ...outcome, ts: String(timestamp) }).filter(([, value]) => value !== undefined)
  return fields
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`)
    .join('&')
}

/** Appends without parsing: parsing would change the registered query. */
export function withOutcome(returnUrl: string, outcome: Outcome, timestamp: number, signature: string): string {
  const ours = new URLSearchParams({ ...outcome, ts: String(timestamp), sig: signature })
  const joint = returnUrl.includes('?') ? (/[?&]$/.test(returnUrl) ? '' : '&') : '?'
  return new URL(`${returnUrl}${joint}${ours}`).href
}
