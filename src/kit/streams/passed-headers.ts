type Headers = Record<string, string | string[]>
type Received = Readonly<Record<string, string | string[] | undefined>>

/** RFC 9110, section 7.6.1: hop-by-hop headers. */
export const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

/** Also drops what `Connection` names. */
export function withoutHeaders(headers: Received, dropped: ReadonlySet<string>): Headers {
  const kept: Headers = {}
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined && !dropped.has(name)) kept[name] = value
  }
  const { connection } = headers
  if (connection === undefined || connection === 'keep-alive') return kept
  for (const name of namedIn(connection)) delete kept[name]
  return kept
}

const namedIn = (connection: string | string[]): string[] =>
  String(connection)
    .split(',')
    .map((name) => name.trim().toLowerCase())
